/** A service with a data model of every attribute type, whose compiled queries run as the superuser of the tests. */

import { enabledObjects, listTypes } from '#engine/data-model/find'
import { attributeInput } from './attributes'
import { listClient } from './lists'
import { testService, type TestService } from './service'
import { type CompiledSql, compileSql } from '#engine/sql/compile/compile-sql'
import { SqlRefused } from '#engine/sql/compile/source-text'
import type { SqlScope } from '#engine/sql/compile/tables/tables'

export interface CompiledService {
  readonly service: TestService
  readonly lists: ReturnType<typeof listClient>
  scope(): Promise<SqlScope>
  compile(text: string, parameterCount?: number): Promise<CompiledSql>
  /** The rows as PostgreSQL's JSON. */
  rows(text: string, parameters?: readonly string[]): Promise<Record<string, unknown>[]>
  /** The refusal of a text, or PostgreSQL's error, as `message | position | hint`. */
  refusal(text: string): Promise<string>
  /** Creates an attribute of an object. */
  attribute(object: string, api_slug: string, members: Record<string, unknown>): Promise<void>
}

export async function compiledService(): Promise<CompiledService> {
  const service = await testService()
  const lists = listClient(service)

  async function scope(): Promise<SqlScope> {
    const model = await service.appContext.models.reload(service.workspaceId)
    return { model, entityTypes: [...enabledObjects(model), ...listTypes(model)] }
  }

  const compile = async (text: string, parameterCount = 0) => compileSql(await scope(), text, parameterCount)

  async function rows(text: string, parameters: readonly string[] = []) {
    const compiled = await compile(text, parameters.length)
    const all = [...parameters, ...compiled.parameters.map(String)]
    const statement = `select coalesce(json_agg(relata_row), '[]')::text as rows from (${compiled.text}\n) relata_row`
    const [row] = await service.db.sql.unsafe(statement, all)
    return JSON.parse(String(row?.rows))
  }

  async function refusal(text: string): Promise<string> {
    const compiled = await compile(text).catch((error: unknown) => error)
    if (compiled instanceof SqlRefused) return [compiled.message, compiled.position, compiled.hint].join(' | ')
    if (compiled instanceof Error) throw compiled
    const { text: statement, parameters, toCallerPosition } = compiled as CompiledSql // not an error
    const error = await service.db.sql.unsafe(statement, parameters.map(String)).catch((failed: unknown) => failed)
    if (!(error instanceof Error)) return 'runs'
    const { position, hint } = error as Error & { position?: string; hint?: string } // of the driver's errors
    return [error.message, toCallerPosition(Number(position)), hint].join(' | ')
  }

  async function attribute(object: string, api_slug: string, members: Record<string, unknown>): Promise<void> {
    const data = attributeInput({ api_slug, ...members })
    const answer = await service.request('POST', `/v2/objects/${object}/attributes`, { data })
    if (answer.status !== 200) throw new Error(answer.body.message)
  }

  return { service, lists, scope, compile, rows, refusal, attribute }
}
