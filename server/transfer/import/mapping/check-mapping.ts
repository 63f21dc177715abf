/** Checks a mapping against the data model and the rows of a file, and writes nothing. */

import { getObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import type { CsvRow } from '#transfer/import/csv/split-rows'
import { bindColumns, findMissingAttributes, type MissingAttribute } from './bind-columns'
import type { Mapping } from './mapping'
import { findMissingOptions } from './missing-options'
import { withAttributes, withOptions } from './planned-model'

/** Attributes and options that the file needs and the data model does not have. `policies.ts` says what happens to them. */
export interface MissingDefinitions {
  readonly attributes: readonly MissingAttribute[]
  /** Titles, by the slug of their attribute. */
  readonly options: ReadonlyMap<string, readonly string[]>
}

export interface CheckedMapping {
  readonly missing: MissingDefinitions
  /** The data model with the missing attributes and options. */
  readonly plannedModel: DataModel
}

/** Reads all rows once when columns go to attributes with options. Throws `ImportError` for an invalid mapping. */
export async function checkMapping(
  model: DataModel,
  objectId: string,
  { header, rows }: { readonly header: readonly string[]; readonly rows: AsyncIterable<readonly CsvRow[]> },
  { columns }: Mapping,
): Promise<CheckedMapping> {
  const object = getObject(model, objectId)
  const attributes = findMissingAttributes(object, columns)
  const extended = withAttributes(model, object, attributes)
  const bindings = bindColumns(extended, getObject(extended, objectId), header, columns)
  const titlesById = await findMissingOptions(rows, bindings)
  const slugOf = (id: string) => extended.attributesById.get(id)?.api_slug ?? id
  return {
    missing: { attributes, options: new Map([...titlesById].map(([id, titles]) => [slugOf(id), titles])) },
    plannedModel: withOptions(extended, getObject(extended, objectId), titlesById),
  }
}
