/**
 * Compares people with five computed attributes with people with five other attributes.
 * `bun run bench:computed [--people 1000000] [--seconds 6] [--only formulas|relations]`; docs/benchmarks.md explains the output.
 */

import { parseArgs } from 'node:util'
import { startBench } from '../processes'
import { compareFormulas } from './formulas'
import { compareRelations } from './relations'

const { values } = parseArgs({
  options: {
    people: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '6' },
    only: { type: 'string', default: '' },
  },
})
const COMPARISONS = { formulas: compareFormulas, relations: compareRelations }

for (const [name, compare] of Object.entries(COMPARISONS)) {
  if (values.only !== '' && values.only !== name) continue
  const bench = await startBench()
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void bench.end().then(() => process.exit(1)))
  await compare({ bench, seconds: Number(values.seconds) }, Number(values.people)).finally(bench.end)
}
process.exit(0)
