/** Completes a requested mapping with proposals for the columns that it does not name. */

import type { DataModel, ObjectType } from '#engine/data-model/model'
import type { Mapping, Target } from './mapping'
import { proposeColumns, type SampledColumn } from './propose-mapping'

export interface RequestedMapping {
  /** A mapping file. Without one, every column without a pair gets a proposal. */
  readonly mapping: Mapping | undefined
  /** The targets of single columns, given on the command line. They override the mapping file. */
  readonly pairs: ReadonlyMap<string, Target | null>
}

/** A mapping file is complete: an import leaves out the columns that it does not name. */
export async function completeMapping(
  model: DataModel,
  object: ObjectType,
  columns: readonly SampledColumn[],
  { mapping, pairs }: RequestedMapping,
): Promise<Mapping> {
  const requested = new Map([...(mapping?.columns ?? []), ...pairs])
  const completed = mapping
    ? new Map(columns.map(({ name }) => [name, requested.get(name) ?? null] as const))
    : await proposeColumns(model, object, columns, requested)
  // Names that the file does not have stay in the mapping, so that binding the columns refuses them.
  return { match: mapping?.match, columns: new Map([...requested, ...completed]) }
}
