/**
 * Two workspaces that a member must not be able to tell apart: one has a hidden object and a private list with everything that
 * refers to them, the other one never had them. See docs/access.md (Access to objects).
 */

import { createRequest, type Answer, type Request } from '../support/http/client'
import { makeAttribute, makeList, makeObject } from '../support/fixtures/model'
import { openBrowser, SETTINGS, type Browser } from '../support/http/oauth'
import { createRecord, recordIdOf } from '../support/fixtures/value-cases'
import { freshDatabase } from '../support/service/database'
import { keyIn, startProcess } from '../support/service/start'
import { ALL_AREAS } from './attacked'
import { type Ids, makeFixtures } from './fixtures'
import { listOperations, type Operation } from './operations'

/** A workspace as the member meets it. */
export interface Twin {
  readonly ids: Ids & Readonly<Record<ConsoleName, string>>
  /** The names and ids of what the first workspace hides, by what they name. In the second one they name nothing. */
  readonly hidden: Readonly<Record<string, string>>
  /** What both workspaces have, beside `ids`. */
  readonly shared: Readonly<Record<string, string>>
  readonly memberKey: string
  readonly adminKey: string
}

type ConsoleName = 'key' | 'app' | 'appSecret' | 'invitation' | 'import'

export interface Twins {
  readonly url: string
  readonly twins: readonly [Twin, Twin]
  readonly member: Browser
  readonly operations: readonly Operation[]
  close(): Promise<number>
}

const MARK = 'own'
const MEMBER = { email_address: 'grace@relata.dev', password: 'another horse battery' }
const NOBODY = () => crypto.randomUUID()

/** Whether an admin hides the object from the member, or it is deleted. */
export type Hiding = 'hidden' | 'deleted'

export async function startTwins(hiding: Hiding): Promise<Twins> {
  const database = await freshDatabase()
  const service = await startProcess({ ...SETTINGS, DATABASE_URL: database.url })
  const { url } = service
  const admin = await openBrowser({ url })
  await admin.ask('PATCH', `/workspaces/${admin.workspaceId}`, { name: 'Twin', slug: 'twin-1' })
  const created = await admin.ask('POST', '/workspaces', { name: 'Twin', slug: 'twin-2' })
  const workspaces = [admin.workspaceId, String(created.data.id)]
  for (const workspace of workspaces) await joinWith(url, admin, workspace)
  const member = await openBrowser({ url }, MEMBER)
  const places = workspaces.map((workspace): Place => ({ url, admin, member, workspace }))
  const [one, other] = places
  if (one === undefined || other === undefined) throw new Error('Two workspaces are two twins.')
  const first = await makeTwin(one, { hiding })
  const second = await makeTwin(other, { hiding, absent: first.hidden })
  const operations = await listOperations(createRequest(url, keyIn(service.output())), first.ids)
  return {
    url,
    twins: [first, second],
    member,
    operations,
    async close() {
      const code = await service.stop()
      await database.drop()
      return code
    },
  }
}

/** Makes the person a member of the workspace, with all permissions. */
async function joinWith(url: string, { ask }: Browser, workspace: string): Promise<void> {
  const { email_address, password } = MEMBER
  const invited = await ask('POST', `/workspaces/${workspace}/invitations`, { email_address, access_level: 'member' })
  const link = new URL(String(invited.data.invite_url))
  const token = link.pathname.split('/').at(-1) ?? ''
  const accepted = await fetch(`${url}/console/api/invitations/${token}/accept`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
    body: JSON.stringify({ first_name: 'Grace', last_name: 'Hopper', password }),
  })
  if (accepted.status !== 200) throw new Error(`The invitation ended with ${accepted.status}: ${await accepted.text()}`)
  const member_permissions = ['data_model', 'webhooks', 'api_keys', 'apps', 'import_definitions', 'connected_accounts']
  await ask('PATCH', `/workspaces/${workspace}`, { member_permissions })
}

interface Place {
  readonly url: string
  readonly admin: Browser
  readonly member: Browser
  readonly workspace: string
}

interface Kind {
  readonly hiding: Hiding
  /** The hidden things of the other workspace: this one gets none, and requests name them by the same ids. */
  readonly absent?: Twin['hidden']
}

async function makeTwin({ url, admin, member, workspace }: Place, { hiding, absent }: Kind): Promise<Twin> {
  const adminKey = await keyOf(admin, workspace, ADMIN_SCOPES)
  const request = createRequest(url, adminKey)
  const ids = await makeFixtures(request, MARK)
  const fixtures: Fixtures = { request, ids, ask: askerOf(request) }
  const planted = absent === undefined ? await plant(fixtures, hiding) : undefined
  const shared = await makeShared(fixtures, planted)
  const hidden: Twin['hidden'] = absent ?? {
    ...planted,
    ...(planted && (await plantBehind(fixtures, planted, shared))),
  }
  const root = `/workspaces/${workspace}`
  if (absent === undefined) {
    const access = { members: 'hidden', teams: [] }
    const set =
      hiding === 'hidden'
        ? await admin.ask('PUT', `${root}/objects/${HIDDEN_SLUGS.object}/access`, access)
        : await request('DELETE', `/v2/objects/${HIDDEN_SLUGS.object}`)
    if (set.status !== 200) throw new Error(`The object is not hidden: ${JSON.stringify(set)}`)
  }
  const memberKey = await keyOf(member, workspace, MEMBER_SCOPES)
  const upload = await fetch(`${url}/console/api${root}/imports?object=people&file_name=x.csv`, {
    method: 'POST',
    headers: { ...member.headers, 'Content-Type': 'text/csv' },
    body: 'Name,Email,vault_link,mixed\nAda,ada@example.com,x,y\n',
  })
  const consoleIds = {
    key: NOBODY(),
    app: NOBODY(),
    appSecret: 'x',
    invitation: NOBODY(),
    import: String((await upload.json()).data.id),
  }
  return { ids: { ...ids, ...consoleIds }, hidden, shared, memberKey, adminKey }
}

const MEMBER_SCOPES = ALL_AREAS.filter((area) => area !== 'user_management').map((area) => `${area}:read-write`)
const ADMIN_SCOPES = [
  ...ALL_AREAS.map((area) => `${area}:read-write`),
  'private_collection:read-write',
  'public_collection:read-write',
]

async function keyOf({ ask }: Browser, workspace: string, scopes: readonly string[]): Promise<string> {
  const { status, data } = await ask('POST', `/workspaces/${workspace}/keys`, { name: 'Twin', scopes })
  if (status !== 200) throw new Error(`No key: ${status} ${JSON.stringify(data)}`)
  return String(data.token)
}

interface Fixtures {
  readonly request: Request
  readonly ids: Ids
  readonly ask: (method: string, path: string, body: object) => Promise<Answer['body']>
}

const askerOf =
  (request: Request): Fixtures['ask'] =>
  async (method, path, body) => {
    const answer = await request(method, path, body)
    if (answer.status > 202) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body.data
  }

const HIDDEN_SLUGS = {
  object: 'vaults',
  attribute: 'vault_code',
  link: 'vault_link',
  list: 'vault_list',
  privateList: 'private_list',
  privateAttribute: 'private_note',
  rollupAttribute: 'vault_count',
  formulaAttribute: 'vault_level',
  secondRollupAttribute: 'vault_levels',
  privateRollupAttribute: 'private_count',
}

type Planted = Readonly<Record<string, string>>

/** Makes the hidden object with records, before the things of both workspaces that refer to them. */
async function plant({ request, ask, ids }: Fixtures, hiding: Hiding): Promise<Planted> {
  const { object, attribute, link, list, privateList, privateAttribute } = HIDDEN_SLUGS
  const objectId = await makeObject(request, object)
  const attributeId = await makeAttribute(request, object, { api_slug: attribute, type: 'text', is_unique: true })
  const record = await newRecord(request, object, { [attribute]: 'zebra' })
  const pair = [
    await newRecord(request, object, {}),
    await newRecord(request, object, { [attribute]: 'lost' }),
  ] as const
  const merge = { primary_record_id: pair[0], secondary_record_id: pair[1] }
  const merged = await ask('POST', `/v2/objects/${object}/records/merge`, { data: merge })
  await makeAttribute(request, object, {
    api_slug: 'to_everything',
    type: 'record-reference',
    config: { record_reference: { allowed_objects: [ids.object] } },
  })
  const linkId = await makeAttribute(request, 'people', {
    api_slug: link,
    type: 'record-reference',
    is_multiselect: true,
    config: { record_reference: { allowed_objects: [object] } },
    relationship: { object, title: 'Keepers', api_slug: 'keepers', is_multiselect: true },
  })
  const otherSide = (await request('GET', `/v2/objects/${object}/attributes/keepers`)).body.data.id.attribute_id
  const listId = await makeList(request, list, [{ api_slug: 'vault_note', type: 'text' }], object)
  const privateListId = await makeList(request, privateList, [
    { api_slug: privateAttribute, type: 'text' },
    { api_slug: 'private_step', type: 'status', options: ['Secret step'] },
  ])
  const privateAttributeId = (await request('GET', `/v2/lists/${privateList}/attributes/${privateAttribute}`)).body.data
    .id.attribute_id
  const computed = hiding === 'hidden' ? await plantComputed(request) : {}
  const access = {
    workspace_access: null,
    workspace_member_access: [{ workspace_member_id: ids.member, level: 'full-access' }],
  }
  await ask('PATCH', `/v2/lists/${privateList}`, { data: access })
  return {
    ...HIDDEN_SLUGS, objectId, attributeId, record, linkId, listId, privateListId, privateAttributeId,
    lostRecord: pair[1], mergedRecord: merged.new_record_id, otherSideId: otherSide, ...computed,
  } // prettier-ignore
}

/** Computed attributes of visible objects that show something of the hidden object and of the private list. An object that they name cannot be deleted. */
async function plantComputed(request: Request): Promise<Planted> {
  const { object, rollupAttribute, formulaAttribute, secondRollupAttribute, privateRollupAttribute } = HIDDEN_SLUGS
  const make = (of: string, api_slug: string, computed: object) =>
    makeAttribute(request, of, { api_slug, type: 'number', computed })
  const rollup = (through: string, more: object) => ({ rollup: { through, ...more } })
  return {
    rollupId: await make('people', rollupAttribute, {
      ...rollup(`${object}.keepers`, { function: 'count' }),
      tracked: true,
    }),
    formulaId: await make('people', formulaAttribute, { formula: `${rollupAttribute} + 1`, tracked: true }),
    secondRollupId: await make(
      'companies',
      secondRollupAttribute,
      rollup('people.company', { function: 'sum', of: formulaAttribute }),
    ),
    privateRollupId: await make(
      'people',
      privateRollupAttribute,
      rollup(HIDDEN_SLUGS.privateList, { function: 'count' }),
    ),
  }
}

const newRecord = async (request: Request, object: string, values: object) =>
  recordIdOf(await createRecord(request, object, values as Record<string, unknown>)) // members are not checked here

/** Makes what both workspaces have. In the first one it also refers to what is hidden. */
async function makeShared({ request, ask, ids }: Fixtures, planted: Planted | undefined) {
  const hiddenTarget = planted ? [{ target_object: planted.object, target_record_id: planted.record }] : []
  const company = { target_object: 'companies', target_record_id: ids.company }
  const allowed = [...(planted ? [HIDDEN_SLUGS.object] : []), 'companies']
  const attributes: Record<string, string> = {}
  for (const [api_slug, is_multiselect] of [
    ['mixed', true],
    ['mixed_one', false],
  ] as const)
    // prettier-ignore
    attributes[`${api_slug}Id`] = await makeAttribute(request, 'people', {
      api_slug,
      type: 'record-reference',
      is_multiselect,
      config: { record_reference: { allowed_objects: allowed } },
    })
  const template = [...hiddenTarget, company]
  attributes.defaultId = await makeAttribute(request, ids.object, {
    api_slug: 'with_default',
    type: 'record-reference',
    is_multiselect: true,
    config: { record_reference: { allowed_objects: allowed } },
    default_value: { type: 'static', template },
  })
  const linked = await newRecord(request, 'people', {
    name: 'Hopper, Grace',
    job_title: 'Linked',
    mixed: [...hiddenTarget, company],
    ...(hiddenTarget[0] ? { mixed_one: hiddenTarget[0], [HIDDEN_SLUGS.link]: hiddenTarget } : {}),
  })
  const open = await newRecord(request, 'people', { name: 'Open, Person', mixed: [company], mixed_one: company })
  const person = { target_object: 'people', target_record_id: linked }
  const task = { format: 'plaintext', deadline_at: null, is_completed: false, assignees: [] }
  const both = await ask('POST', '/v2/tasks', {
    data: { ...task, content: 'Both', linked_records: [...hiddenTarget, person] },
  })
  const alone = await ask('POST', '/v2/tasks', { data: { ...task, content: 'Alone', linked_records: hiddenTarget } })
  const meeting = await ask('POST', '/v2/meetings', {
    data: {
      title: 'Shared', description: 'x', start: { date: '2030-02-01' }, end: { date: '2030-02-02' }, is_all_day: true, participants: [{ name: 'Ada', is_organizer: true, status: 'accepted' }],
      linked_records: [...hiddenTarget, person].map(({ target_object, target_record_id }) => ({ object: target_object, record_id: target_record_id })),
    }, // prettier-ignore
  })
  const visible = ['name', ...(planted ? [HIDDEN_SLUGS.link] : []), 'mixed']
  const columns = await ask('POST', '/v2/objects/people/views', {
    data: { title: 'Columns', type: 'table', visible_attributes: visible },
  })
  const filter = { mixed: { target_record_id: { $eq: ids.company } } }
  const filtered = await ask('POST', '/v2/objects/people/views', {
    data: { title: 'Of the company', type: 'table', filter },
  })
  const subscriptions = ALL_EVENTS.map((event_type) => ({ event_type, filter: null }))
  const hook = await ask('POST', '/v2/webhooks', { data: { target_url: 'https://example.com/all', subscriptions } })
  return {
    ...attributes,
    linked,
    open,
    bothTask: both.id.task_id,
    aloneTask: alone.id.task_id,
    sharedMeeting: meeting.id.meeting_id,
    columnsView: columns.id.view_id,
    filteredView: filtered.id.view_id,
    allWebhook: hook.id.webhook_id,
  }
}

export const ALL_EVENTS = [
  'record.created', 'record.updated', 'record.deleted', 'record.merged', 'list.created', 'list-attribute.created', 'list-entry.created',
  'object-attribute.created', 'note.created', 'comment.created', 'task.created', 'call-recording.created',
] // prettier-ignore

/** Makes what only a workspace with hidden things has, and refers to things of both workspaces. */
async function plantBehind(
  { request, ask, ids }: Fixtures,
  planted: Planted,
  { linked = '' }: Readonly<Record<string, string>>,
) {
  const { object, list, record = '', objectId, link, privateList, privateListId, privateAttribute } = planted
  const parent = { parent_object: object, parent_record_id: record }
  const entryOf = async (of: string, body: object) =>
    (await ask('POST', `/v2/lists/${of}/entries`, { data: body })).id.entry_id
  const entry = await entryOf(list ?? '', { ...parent, entry_values: {} })
  const privateEntry = await entryOf(privateList ?? '', {
    parent_object: 'people',
    parent_record_id: linked,
    entry_values: { [privateAttribute ?? '']: 'zebra' },
  })
  const note = await ask('POST', '/v2/notes', {
    data: { ...parent, title: 'zebra', format: 'plaintext', content: 'zebra' },
  })
  const folder = await ask('POST', '/v2/files', { object, record_id: record, file_type: 'folder', name: 'zebra' })
  const author = { type: 'workspace-member', id: ids.member }
  const content = `zebra ${MEMBER.email_address}`
  const comment = await ask('POST', '/v2/comments', {
    data: { format: 'plaintext', content, author, record: { object, record_id: record } },
  })
  const privately = await ask('POST', '/v2/comments', {
    data: { format: 'plaintext', content, author, entry: { list: privateList, entry_id: privateEntry } },
  })
  const people = '/v2/objects/people/views'
  const viewOf = async (path: string, filter: object) =>
    (await ask('POST', path, { data: { title: 'Secret', type: 'table', filter } })).id.view_id
  const view = await viewOf(people, { [link ?? '']: { $not_empty: true } })
  const recordView = await viewOf(people, { mixed: { target_record_id: { $eq: record } } })
  const privateView = await viewOf(`/v2/lists/${privateList}/views`, {})
  const hookOf = async (target: string, event_type: string, field: string, value: string | undefined) => {
    const filter = { $and: [{ field, operator: 'equals', value }] }
    return (
      await ask('POST', '/v2/webhooks', {
        data: { target_url: `https://example.com/${target}`, subscriptions: [{ event_type, filter }] },
      })
    ).id.webhook_id
  }
  const bulk = async (path: string) => {
    const answer = await request('POST', path, {
      data: { filter: {}, operation: { op: 'update', values: {}, entry_values: {} } },
    })
    return String(answer.body.data?.id.job_id ?? NOBODY())
  }
  return {
    entry, privateEntry, view, recordView, privateView,
    note: note.id.note_id, folder: folder.id.file_id, comment: comment.id.comment_id, thread: comment.thread_id,
    privateComment: privately.id.comment_id, privateThread: privately.thread_id,
    webhook: await hookOf('object', 'record.created', 'id.object_id', objectId),
    recordWebhook: await hookOf('record', 'record.updated', 'id.record_id', record),
    listWebhook: await hookOf('list', 'list-entry.created', 'id.list_id', privateListId),
    job: await bulk(`/v2/objects/${object}/records/bulk`),
    privateJob: await bulk(`/v2/lists/${privateList}/entries/bulk`),
  } // prettier-ignore
}
