/** Measures all workloads on both sides, one after the other. */

import { type Figures, measure, type Side } from './measure/measure'
import type { Options } from './options'
import { probe } from './measure/probe'
import type { Bench } from './processes'
import { type Compared, HEADINGS, renderCompared } from './report'
import { residentBytes } from './measure/usage'
import type { SeededPeople, Workload } from './workloads/workload'
import { WRITES } from './workloads/writes'

const CONCURRENCIES = [1, 8]

export interface Against {
  readonly seeded: SeededPeople
  readonly floor: Side
  readonly service: Side
  /** Returns the figures of the service in an earlier run. */
  before(workload: string, concurrency: number): Figures | undefined
}

export interface Results {
  readonly compared: readonly Compared[]
  readonly failures: readonly string[]
}

/** Records the failure of a workload and continues with the others. */
export async function compareAll(
  bench: Bench,
  workloads: readonly Workload[],
  against: Against,
  options: Options,
): Promise<Results> {
  const compared: Compared[] = []
  const failures: string[] = []
  console.log(HEADINGS)
  for (const workload of workloads) {
    try {
      for await (const each of compare(bench, workload, against, options)) {
        compared.push(each)
        console.log(renderCompared(workload, each, against.before(each.workload, each.concurrency)))
        if (hasErrors(each)) failures.push(`${workload.name}: answers other than 200`)
      }
    } catch (error) {
      failures.push(`${workload.name}: ${error instanceof Error ? error.message : error}`)
      console.error(`${workload.title}  FAILED: ${error instanceof Error ? error.message : error}`)
    }
  }
  return { compared, failures }
}

async function* compare(bench: Bench, workload: Workload, against: Against, { seconds, writers }: Options) {
  const { seeded, floor, service } = against
  const sides = workload.hasNoFloor ? [service] : [floor, service]
  const bytes = await probe(workload, seeded, sides)
  const beside = workload.isQuery && writers > 0 ? { beside: { workloads: WRITES_BESIDE, connections: writers } } : {}
  for (const concurrency of CONCURRENCIES) {
    const measured = await measure(workload, seeded, sides, {
      concurrency,
      seconds,
      postgres: bench.postgres,
      ...beside,
    })
    await workload.check?.(bench.db.sql)
    const [ofService, ofFloor] = measured.toReversed()
    if (!ofService) throw new Error('The service is measured always.')
    yield {
      workload: workload.name,
      concurrency,
      bytes,
      floor: ofFloor,
      service: ofService,
      resident_bytes: residentBytes(service.pid),
    }
  }
}

/** The writes that run beside queries: new people, and changes of existing ones. */
const WRITES_BESIDE = WRITES.filter(({ name }) => name === 'create' || name === 'patch')

function hasErrors({ floor, service }: Compared): boolean {
  return [floor, service].some((side) => Object.keys(side?.errors ?? {}).length > 0)
}
