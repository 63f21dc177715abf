/** Reads the labels of the records to which exported values refer. See docs/reference/search.md (What a record is called). */

import type { ApiContext } from '#context'
import { findObject } from '#engine/data-model/find'
import type { ObjectType } from '#engine/data-model/model'
import { compileLabels } from '#engine/query/compile/label'
import { runStatement } from '#engine/query/run/run-statement'

/** A record by the slug of its object and its id. */
export interface RecordName {
  readonly object: string
  readonly id: string
}

export interface Labels {
  /** The label of a record, or its id if it has none. */
  readonly of: (record: RecordName) => string
}

/** Reads the labels with one statement for each object. */
export async function readLabels(context: ApiContext, records: readonly RecordName[]): Promise<Labels> {
  const idsBySlug = Map.groupBy(records, ({ object }) => object)
  const found = await Promise.all(
    [...idsBySlug].map(async ([slug, named]) => {
      const object = findObject(context.model, slug)
      const ids = [...new Set(named.map(({ id }) => id))]
      return [
        slug,
        object === undefined ? new Map<string, string>() : await readLabelsOf(context, object, ids),
      ] as const
    }),
  )
  const labels = new Map(found)
  return { of: ({ object, id }) => labels.get(object)?.get(id) ?? id }
}

async function readLabelsOf(
  context: ApiContext,
  object: ObjectType,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await runStatement(context, compileLabels(object, ids))
  return new Map(rows.flatMap(([id, label]) => (label === null ? [] : [[String(id), String(label)] as const])))
}
