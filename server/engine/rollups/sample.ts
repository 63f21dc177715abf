/** A sample of the values that a look-up or rollup would have, before it is stored. */

import type { Transaction } from '#db/connect'
import { type Computed, type DataModel, type EntityType, hasRecords } from '#engine/data-model/model'
import type { SampleValue } from '#engine/formulas/check-formula'
import { shownLabelSql } from '#engine/query/compile/label'
import { readNewest, withTimeLimit } from '#engine/storage/statements/formula-statements'
import { readSample } from '#engine/storage/statements/rollup-statements'
import type { TypeName } from '#vocabulary/data-model'
import { sampleSql } from '#engine/query/compile/rollup-statement'

const SAMPLE = 10
/** How long the sample may take. */
const LONGEST_MS = 2_000

/** The values of the newest records or entries, as an attribute of the type would have them. */
export async function sampleRollup(
  tx: Transaction,
  model: DataModel,
  entityType: EntityType,
  { computed, type }: { readonly computed: Computed; readonly type: TypeName },
): Promise<SampleValue[]> {
  const label = hasRecords(entityType) ? shownLabelSql(entityType, 'h') : 'null::text'
  const newest = await readNewest(tx, entityType, { label, limit: SAMPLE })
  const ids = newest.map(({ id }) => id)
  const values = await withTimeLimit(tx, LONGEST_MS, () =>
    readSample(tx, sampleSql(model, entityType, computed, type), ids),
  )
  return newest.map((entity) => {
    const json = values.get(entity.id) ?? null
    return { ...entity, value: json === null ? null : (JSON.parse(json) as SampleValue['value']) } // PostgreSQL made it of a scalar
  })
}
