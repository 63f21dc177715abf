/** From a file and a mapping to an import that can run, or to what it lacks. Nothing is written here. */

import { type DataModel, type ObjectType } from '../../data-model/model'
import { getObject } from '../../data-model/find'
import type { CsvFile } from '../csv/csv'
import type { Mapping, Target } from './mapping'
import { findMissingOptions } from './missing-options'
import { bindColumns, findMissing, type MissingAttribute } from './bind-columns'
import { withAttributes, withOptions } from './planned-model'
import { type Column, proposeColumns } from './propose-mapping'

export interface Asked {
  readonly mapping: Mapping | undefined
  /** Single columns, decided on the command line; they win. */
  readonly pairs: ReadonlyMap<string, Target | null>
}

/** The mapping a file is imported with: what was asked for, and what can be guessed for the columns that nobody named. */
export async function completeMapping(
  model: DataModel,
  object: ObjectType,
  columns: readonly Column[],
  { mapping, pairs }: Asked,
): Promise<Mapping> {
  const decided = new Map([...(mapping?.columns ?? []), ...pairs])
  // A mapping that somebody wrote is whole: columns it does not name are left out.
  const unnamed = mapping ? columns.map(({ name }) => [name, decided.get(name) ?? null] as const) : undefined
  const proposed = unnamed ? new Map(unnamed) : await proposeColumns(model, object, columns, decided)
  // Names that the file does not have are kept, to be refused when columns are bound.
  return { match: mapping?.match, columns: new Map([...decided, ...proposed]) }
}

export interface MissingDefinitions {
  readonly attributes: readonly MissingAttribute[]
  /** By the slug of their attribute. */
  readonly options: ReadonlyMap<string, readonly string[]>
}

export interface Prepared {
  readonly missing: MissingDefinitions
  /** The model with all that is missing, as it will be or would be. */
  readonly planned: DataModel
}

/** Reads the file through once if it has columns of options. Throws `ImportError` for a mapping that cannot be. */
export async function prepare(
  model: DataModel,
  objectId: string,
  file: CsvFile,
  header: readonly string[],
  { columns }: Mapping,
): Promise<Prepared> {
  const object = getObject(model, objectId)
  const attributes = findMissing(object, columns)
  const withAll = withAttributes(model, object, attributes)
  const bindings = bindColumns(withAll, getObject(withAll, objectId), header, columns)
  const titles = await findMissingOptions(file, bindings)
  const planned = withOptions(withAll, getObject(withAll, objectId), titles)
  const slugOf = (id: string) => withAll.attributesById.get(id)?.api_slug ?? id
  return {
    missing: { attributes, options: new Map([...titles].map(([id, each]) => [slugOf(id), each])) },
    planned,
  }
}
