/** Keeps the unique keys of an attribute whose uniqueness was switched. Old data is not checked. Spec: values 5. */

import type { ModelChange } from '../../data-model/change'
import type { Attribute, DataModel, Owner } from '../../data-model/model'
import { forgetUniques } from '../../workspaces/drop-attributes'
import { compileLayout, createdAtText, creationOf, idOf, type Layout, type Row } from '../../values/layout'
import { uniqueKeys } from '../../values/unique'

const PAGE = 5000

/** Of values that several holders have already, the holder created first gets the key. */
export async function changeUniqueness(step: ModelChange, owner: Owner, attribute: Attribute): Promise<void> {
  if (!attribute.is_unique) return forgetUniques(step, [attribute])
  const layout = compileLayout(step.model, owner, [attribute])
  let page = await readPage(step, owner, layout)
  for (;;) {
    const last = page.at(-1)
    if (!last) return
    await insertKeys(
      step,
      page.flatMap((row) => keysOf(attribute, layout, row)),
    )
    page = await readPage(step, owner, layout, last)
  }
}

async function readPage({ tx }: ModelChange, owner: Owner, layout: Layout, after?: Row): Promise<Row[]> {
  const beyond = after === undefined ? '' : 'where (h.created_at, h.id) > ($1, $2)'
  const query = `select ${layout.select} from ${owner.table} h ${beyond} order by h.created_at, h.id limit ${PAGE}`
  const parameters = after === undefined ? [] : [createdAtText(after), idOf(after)]
  return (await tx.unsafe(query, parameters).values()) as unknown as Row[] // rows as arrays
}

function keysOf(attribute: Attribute, { attributes }: Layout, row: Row) {
  const versions = attributes.flatMap(({ read }) => read(row, creationOf(row), null))
  const keys = uniqueKeys(
    attribute,
    versions.map(({ stored }) => stored),
  )
  return keys.map((key) => ({ ...key, holder_id: idOf(row) }))
}

async function insertKeys(
  { tx, model }: { tx: ModelChange['tx']; model: DataModel },
  keys: readonly object[],
): Promise<void> {
  await tx.unsafe(
    `insert into ${model.schema}.uniques (attribute, key, holder_id)
     select attribute, key, holder_id from json_to_recordset($1::text::json) as k(attribute int, key text, holder_id uuid)
     on conflict do nothing`,
    [JSON.stringify(keys)],
  )
}
