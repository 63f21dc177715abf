/** Inserts parts of records in the trash that this process made, or read from control tables. */

import { prepareOptions, type Transaction } from '#db/connect'
import type { DataModel } from '#engine/data-model/model'

export interface NewPart {
  readonly record_id: string
  /** A `PartKind` or the name of a control table. */
  readonly kind: string
  readonly attribute?: number
  readonly content: unknown
}

/** Inserts parts that this process made. */
export const insertParts = (tx: Transaction, model: DataModel, parts: readonly NewPart[]): Promise<void> =>
  insertTexts(
    tx,
    model,
    parts.map((part) => ({ ...part, content: JSON.stringify(part.content) })),
  )

/** Inserts parts whose content is JSON text. */
export async function insertTexts(
  tx: Transaction,
  { schema }: DataModel,
  parts: readonly (NewPart & { readonly content: string })[],
): Promise<void> {
  if (parts.length === 0) return
  const statement = `
    insert into ${schema}.trash_parts (record_id, kind, attribute, content)
    select record_id, kind, attribute, content::json
    from json_to_recordset($1::text::json) as p(record_id uuid, kind text, attribute int, content text)`
  await tx.unsafe(statement, [JSON.stringify(parts)], prepareOptions(statement))
}
