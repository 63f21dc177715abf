/** Two workspaces with data that SQL of the first one must not show, and a search for it. */

import type { Sql } from '#db/connect'
import type { Client } from '#testing/client'
import type { TestService, TestWorkspace } from '#testing/service'

/** The slugs and values of the other workspace, its admin, and a file of the server contain these texts. */
export const OF_OTHERS: readonly string[] = ['unseen', 'admin-2@', 'root:x:0']

/** A list and an attribute that the caller must not read, and a value of each contain these texts. */
const HIDDEN: readonly string[] = [...OF_OTHERS, 'hidden_list', 'hidden_value', 'archived_text']

export interface AttackedWorkspaces {
  readonly other: TestWorkspace
  /** The slugs of tables that the key of the first workspace must not read. */
  readonly hidden: readonly string[]
}

export async function makeAttackedWorkspaces(service: TestService): Promise<AttackedWorkspaces> {
  const other = await service.anotherWorkspace()
  const foreign: Client = (method, path, body) => service.request(method, path, body, { key: other.key })
  await fillForeign(foreign)
  await fillOwn(service.request)
  await service.db.sql`
    update relata.objects set is_enabled = false
    where workspace_id = ${service.workspaceId} and standard_slug in ('users', 'workspaces', 'deals')`
  // A list for members only.
  const access = [{ workspace_member_id: service.member.id, level: 'full-access' }]
  const list = { name: 'Hidden', api_slug: 'hidden_list', parent_object: 'people', workspace_access: null }
  await succeed(service.request('POST', '/v2/lists', { data: { ...list, workspace_member_access: access } }))
  return { other, hidden: ['hidden_list', 'users', 'workspaces', 'deals'] }
}

async function fillForeign(request: Client): Promise<void> {
  const object = { api_slug: 'unseen_object', singular_noun: 'unseen', plural_noun: 'unseen things' }
  await succeed(request('POST', '/v2/objects', { data: object }))
  const values = { name: 'unseen, unseen', description: 'unseen' }
  const { id } = (await succeed(request('POST', '/v2/objects/people/records', { data: { values } }))).data
  const list = { name: 'unseen', api_slug: 'unseen_list', parent_object: 'people', workspace_access: 'full-access' }
  await succeed(request('POST', '/v2/lists', { data: { ...list, workspace_member_access: [] } }))
  const entry = { parent_object: 'people', parent_record_id: id.record_id, entry_values: {} }
  await succeed(request('POST', '/v2/lists/unseen_list/entries', { data: entry }))
}

async function fillOwn(request: Client): Promise<void> {
  const attribute = {
    title: 'Archived',
    description: null,
    api_slug: 'archived_text',
    type: 'text',
    is_required: false,
    is_unique: false,
    is_multiselect: false,
    config: {},
  }
  await succeed(request('POST', '/v2/objects/people/attributes', { data: attribute }))
  for (const name of ['Lovelace, Ada', 'Hopper, Grace']) {
    const values = { name, archived_text: 'hidden_value', email_addresses: [`${name.slice(0, 3)}@example.com`] }
    await succeed(request('POST', '/v2/objects/people/records', { data: { values } }))
  }
  await succeed(request('POST', '/v2/objects/companies/records', { data: { values: { name: 'Acme' } } }))
  const archived = { data: { is_archived: true } }
  await succeed(request('PATCH', '/v2/objects/people/attributes/archived_text', archived))
}

async function succeed(answer: ReturnType<Client>) {
  const { status, body } = await answer
  if (status >= 300) throw new Error(`${status}: ${JSON.stringify(body)}`)
  return body
}

/** Returns the secret that a response has and its request does not have. */
export const leakIn = (response: string, request: string, secrets = HIDDEN): string | undefined =>
  secrets.find((secret) => response.includes(secret) && !request.includes(secret))

/** Returns a digest of all rows of workspaces, and of the objects of the database. */
export async function digestOf(sql: Sql): Promise<string> {
  const [row] = await sql<{ digest: string }[]>`
    select md5(concat(
      (select count(*) from pg_class where relnamespace <> 'pg_toast'::regnamespace), '/',
      (select count(*) from pg_proc), '/', (select count(*) from pg_largeobject_metadata), '/',
      (select string_agg(schema_to_xml(nspname, true, true, '')::text, '' order by nspname)
        from pg_namespace where nspname ~ '^w_'))) as digest`
  return row?.digest ?? ''
}
