/**
 * Compiles queries: each folder of `samples/` has a request and the SQL that is made from it, with its parameters
 * below. `UPDATE_SAMPLES=1 bun test samples` writes the SQL anew.
 */

import { beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { getObject } from '#engine/data-model/find'
import type { DataModel } from '#engine/data-model/model'
import { useTestService } from '#testing/use-service'
import { UNUSED_RELATIVE_CONTEXT } from '#engine/query/resolve/relative'
import { resolveQuery } from './resolve/resolve-query'
import { compilePage, type QueryStatement } from './compile/page-statement'
import type { KeyTexts } from './compile/sort'
import type { QueryBody } from './parse/schemas'

interface Sample {
  readonly object: string
  readonly body: QueryBody
  /** The order keys in a cursor. */
  readonly after?: KeyTexts
  /** Reads a page in the order of an index over the referenced records. */
  readonly isPresentOnly?: boolean
}

const FOLDER = join(import.meta.dir, 'samples')

const service = useTestService()
let model: DataModel
beforeAll(async () => {
  // In the first workspace of a database, all numbers are the same every time.
  model = await service.appContext.models.get(service.workspaceId)
})

function compile({ object, body, after, isPresentOnly = false }: Sample): QueryStatement {
  const owner = getObject(model, object)
  return compilePage(
    model,
    owner,
    { ...resolveQuery(model, owner, body, UNUSED_RELATIVE_CONTEXT), isPresentOnly, ...(after && { after }) },
    'h.*',
  )
}

/** Renders statement and parameters as in a sample. */
const shown = ({ text, parameters }: QueryStatement): string =>
  `${[text, ...parameters.map((parameter, index) => `-- $${index + 1}: ${parameter}`)].join('\n')}\n`

describe('samples', () => {
  test.each(readdirSync(FOLDER).sort())('%s', async (name) => {
    const sample: Sample = await Bun.file(join(FOLDER, name, 'request.json')).json()
    const statement = compile(sample)
    const expected = Bun.file(join(FOLDER, name, 'query.sql'))
    if (process.env.UPDATE_SAMPLES) await Bun.write(expected, shown(statement))
    expect(shown(statement)).toBe(await expected.text())
    // The statement equals the sample, and PostgreSQL runs it.
    await service.db.queries.unsafe(statement.text, [...statement.parameters], { prepare: false })
  })
})
