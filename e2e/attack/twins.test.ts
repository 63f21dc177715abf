/**
 * A member gets the same answers in a workspace with a hidden object and a private list as in one that never had them, whatever
 * the request names. Nobody sees a difference when the object is deleted. See docs/access.md (Access to objects) and docs/reference/lists-and-entries.md (Access to lists).
 */

import { beforeAll, describe, expect, test } from 'bun:test'
import { createRequest } from '../support/http/client'
import { forThisFile } from '../support/service/service-per-file'
import { parametersOf, pathOf, type Operation } from './operations'
import { jsonWith, placesIn, someOf } from './requests'
import { ALL_EVENTS, type Hiding, startTwins, type Twin } from './twins'

const hidden = forThisFile(() => startTwins('hidden'))
const deleted = forThisFile(() => startTwins('deleted'))
let hiding: Hiding = 'hidden'
const service = () => (hiding === 'hidden' ? hidden() : deleted())

/** What shows a deleted object on purpose: the trash, and events and webhooks of the time before. See docs/reference/trash.md (Objects). */
const SHOWS_DELETED = /^\/v2\/(?:trash|events|webhooks|objects\/[^/]+\/restore)/
const isCompared = (path: string): boolean => hiding === 'hidden' || !SHOWS_DELETED.test(path)

const TIME = 3_600_000
/** How many names a short run puts into each place of a body: of what the place may name, and of other things. */
const WORDS_IN_BODIES = { alike: 1, others: 1 }
/** How many names of other things a short run puts into each parameter, beside all of what it may name. */
const OTHERS_IN_PARAMETERS = 2
const WORDS_IN_FILTERS = 8
const MAX_PAGES = 200

/** A request with the names of ids in the form «shared.linked», which each workspace fills in. */
interface Asked {
  readonly method: string
  readonly path: string
  /** JSON text. */
  readonly body?: string
  /** Whether the request is one of the API with the key of the member. Otherwise it is one of the console. */
  readonly withKey?: boolean
}

interface Names {
  readonly valueOf: ReadonlyMap<string, string>
  /** Only ids, because other values are also parts of words. */
  readonly nameOf: ReadonlyMap<string, string>
}

const namesOfTwins = new WeakMap<Twin, Names>()

function namesOf(twin: Twin): Names {
  const known = namesOfTwins.get(twin)
  if (known !== undefined) return known
  const { ids, hidden, shared } = twin
  const texts = Object.entries({ ids, hidden, shared }).flatMap(([part, members]) => textsIn(part, members))
  // Of two names of one value, the first is used.
  const ofIds = texts.filter(([, value]) => isId(value)).map(([name, value]): [string, string] => [value, name])
  const names = { valueOf: new Map(texts), nameOf: new Map(ofIds.toReversed()) }
  namesOfTwins.set(twin, names)
  return names
}

function textsIn(name: string, value: unknown): [string, string][] {
  if (typeof value === 'string') return [[name, value]]
  return Object.entries(Object(value)).flatMap(([member, part]) => textsIn(`${name}.${member}`, part))
}

const filled = (twin: Twin, text: string): string =>
  text.replaceAll(/«([\w.]+)»/g, (place, name: string) => namesOf(twin).valueOf.get(name) ?? place)

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g
const isId = (text: string): boolean => text.replace(UUID, '') === ''

/** The text with names instead of the ids of the workspace. */
function named(twin: Twin, text: string): string {
  const { nameOf } = namesOf(twin)
  return text.replaceAll(UUID, (id) => {
    const name = nameOf.get(id)
    return name === undefined ? id : `«${name}»`
  })
}

async function answerOf(twin: Twin, { method, path, body, withKey = false }: Asked) {
  const { url, member } = service()
  const place = path.startsWith('/v2') && !withKey ? `/console${path}` : path
  const credentials: Record<string, string> = withKey
    ? { Authorization: `Bearer ${twin.memberKey}`, Accept: 'application/json, text/event-stream' }
    : { ...member.headers, 'X-Workspace': twin.ids.workspace }
  const response = await fetch(url + filled(twin, wholeFeed(place)), {
    method,
    headers: { 'Content-Type': 'application/json', ...credentials },
    ...(body === undefined ? {} : { body: filled(twin, body) }),
    redirect: 'manual',
  })
  if (response.ok) succeeded.add(`${method} ${path}`)
  return { status: response.status, text: withoutWorkers(path, await response.text()) }
}

/** The requests that succeeded. A sweep of refusals alone would show nothing. */
const succeeded = new Set<string>()

const INSTANT = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00(?::00)?)/g
/** Members that are secret, opaque or a measured time. */
const OPAQUE =
  /"(next_cursor|token|secret|client_secret|url|\w*duration_ms|consent_token|cursor|etag|hint|iat|(?:X-)?Relata-Signature(?:-V2)?|X-Relata-Event-Timestamp)":(?!null)"?[^",}]*"?/g

/** Retries go on while the requests run. */
const ATTEMPTS =
  /"attempts":(?:\d+|\[[^\]]*\])|"next_attempt_at":(?:null|"[^"]*")|"status":"(?:waiting|failed|retrying)"/g

/** Events that workers cause at a time of their own: refreshed interaction attributes, fetched videos. */
const isOfWorker = ({
  event,
}: {
  readonly event: { readonly event_type: string; readonly actor: { readonly type: string } }
}) => event.actor.type === 'system' || event.event_type === 'call-recording.created'

/** The path of a page that has all events. Of a shorter one, it would depend on the events of workers how many others it has. */
const wholeFeed = (path: string): string =>
  /\/v2\/events(?:\?|$)/.test(path) && !path.includes('limit=')
    ? `${path}${path.includes('?') ? '&' : '?'}limit=1000`
    : path

/** A page of the feed without these events. Pages of one event cannot be compared without them. */
function withoutWorkers(path: string, text: string): string {
  if (!path.startsWith('/v2/events') || !text.startsWith('{"data":[')) return text
  const { data, ...rest } = JSON.parse(text)
  return path.includes('limit=')
    ? ''
    : JSON.stringify({ data: data.filter((each: Parameters<typeof isOfWorker>[0]) => !isOfWorker(each)), ...rest })
}

/** The problem of a server of emails whose name does not exist: it is unknown, or the name server did not answer in time. */
const UNREACHABLE = /("code":"connection_failed"),"message":"[^"]*","problem":"(?:timed_out|unknown_host)"/g

/** The answer with what is different in each workspace or at each time replaced. */
function comparable(twin: Twin, { status, text }: { status: number; text: string }): string {
  const ids = new Map<string, string>()
  const place = named(twin, text)
    .replaceAll(/twin-[12]/g, 'twin')
    // PostgreSQL reads the beginning of an id as a number or as a name.
    .replaceAll(/(?:trailing junk after numeric literal|syntax error) at or near \\"[0-9a-f]+/g, 'syntax error')
    .replaceAll(INSTANT, '<time>')
    .replaceAll(ATTEMPTS, '<attempts>')
    .replaceAll(UNREACHABLE, '$1')
    .replaceAll(OPAQUE, (_, name: string) => `"${name}":<opaque>`)
    .replaceAll(UUID, (id) => {
      const name = ids.get(id) ?? `<id ${ids.size + 1}>`
      ids.set(id, name)
      return name
    })
  return `${status} ${place}`
}

/** Sends the request to both workspaces, page by page, and returns the difference of the answers. */
async function differenceOf(asked: Asked): Promise<string | undefined> {
  const [first, second] = service().twins
  let cursors: readonly [string, string] | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const at = (index: 0 | 1) =>
      cursors ? { ...asked, path: `${asked.path}&cursor=${encodeURIComponent(cursors[index])}` } : asked
    const answers = await Promise.all([answerOf(first, at(0)), answerOf(second, at(1))])
    const [own, other] = [comparable(first, answers[0]), comparable(second, answers[1])]
    if (own !== other) return `${asked.method} ${asked.path} ${asked.body ?? ''}\n${difference(own, other)}`
    if (answers[0].status >= 500 && answers[0].status !== 501) return `${asked.method} ${asked.path} ${own}`
    const next = answers.map(({ text }) => /"next_cursor":"([^"]+)"/.exec(text)?.[1])
    if (!asked.path.includes('limit=') || next[0] === undefined || next[1] === undefined) return undefined
    cursors = [next[0], next[1]]
  }
  return undefined
}

/** The place where the texts begin to differ. */
function difference(own: string, other: string): string {
  let at = 0
  while (own[at] === other[at]) at++
  const from = Math.max(0, at - 120)
  return `  hidden: ${own.slice(from, at + 200)}\n  absent: ${other.slice(from, at + 200)}`
}

async function differencesOf(requests: Iterable<Asked>): Promise<string[]> {
  const found: string[] = []
  for (const asked of requests) {
    const problem = await lastingDifference(asked)
    if (problem !== undefined) found.push(problem)
  }
  return found
}

/** How often a read is sent whose answers differ. Workers reach the two workspaces at different times. */
const MOST_READS = 20
const PAUSE_MS = 500

async function lastingDifference(asked: Asked): Promise<string | undefined> {
  for (let reads = 1; ; reads++) {
    const problem = await differenceOf(asked)
    if (problem === undefined || asked.method !== 'GET' || reads === MOST_READS) return problem
    await Bun.sleep(PAUSE_MS)
  }
}

/** The operations that depend on a workspace and answer at once. */
const operations = (): Operation[] =>
  service().operations.filter(
    ({ template, isServed, form }) =>
      isServed &&
      form !== 'oauth' &&
      /^\/v2\/|^\/console\/api\/workspaces\/\{workspace_id\}/.test(template) &&
      !template.endsWith('/stream') &&
      !template.startsWith('/v2/scim') &&
      isCompared(template) &&
      !template.includes('/file-imports'),
  )

/** Slugs that nearly are those of hidden things, by what they would name. */
const NEARLY: Readonly<Record<string, string>> = {
  object: 'vault',
  attribute: 'vault_cod',
  link: 'vault_lnk',
  list: 'vault_lis',
  privateList: 'privat_list',
  privateAttribute: 'privat_note',
}

/** The names of hidden things, and slugs that nearly are one. */
const words = (): [name: string, word: string][] => [
  ...Object.keys(service().twins[0].hidden).map((name): [string, string] => [name, `«hidden.${name}»`]),
  ...Object.entries(NEARLY),
]

/** What a word of a parameter may name, beside what has the word in its own name. */
const MEANINGS: Readonly<Record<string, RegExp>> = {
  attribute: /link|otherSide/i,
  field: /attribute|link|otherSide/i,
  types: /object/i,
  file: /folder/i,
  target: /object|list/i,
  identifier: /object|list/i,
  search: /object|record/i,
  query: /object|record/i,
}

/** The words that name what a parameter or a member of this name takes, and the others. */
function wordsByMeaning(place: string): { readonly alike: string[]; readonly others: string[] } {
  const parts = place.split(/[^a-z]+/i).filter((part) => part.length > 2)
  const isAlike = ([name]: [name: string, word: string]) =>
    parts.some((part) => name.toLowerCase().includes(part.replace(/s$/, '')) || MEANINGS[part]?.test(name) === true)
  const { alike = [], others = [] } = Object.groupBy(words(), (each) => (isAlike(each) ? 'alike' : 'others'))
  return { alike: alike.map(([, word]) => word), others: others.map(([, word]) => word) }
}

/** The words for a parameter. */
function wordsFor(parameter: string, about: string): string[] {
  const { alike, others } = wordsByMeaning(parameter)
  return [...alike, ...someOf(others, OTHERS_IN_PARAMETERS, about)]
}

const first = () => service().twins[0]
const pathTo = (template: string, given: Readonly<Record<string, string>> = {}): string =>
  named(first(), pathOf(template, first().ids, given))

const required = ({ method, template }: Operation): string =>
  method === 'PUT' && template.endsWith('/records') ? '?matching_attribute=email_addresses' : ''

const bodyOf = ({ body }: Operation): { body: string } | object =>
  body === undefined ? {} : { body: named(first(), JSON.stringify(body)) }

/** The requests in whose path one name is replaced by a hidden one. */
function* pathsWithHiddenNames(): Generator<Asked> {
  for (const operation of operations()) {
    const { method, template } = operation
    for (const name of parametersOf(template)) {
      if (name === 'workspace_id' || name === '*') continue
      for (const word of wordsFor(name, `${method} ${template} ${name}`)) {
        const object: Record<string, string> = /\/objects\/\{object\}.*\{(record_id|attribute|view_id)\}/.test(template)
          ? { object: 'people' }
          : {}
        const list: Record<string, string> =
          /\/lists\/\{list\}\/./.test(template) && name === 'entry_id' ? { list: '«hidden.privateList»' } : {}
        yield {
          method,
          path: pathTo(template, { ...object, ...list, [name]: word }) + required(operation),
          ...bodyOf(operation),
        }
      }
    }
  }
}

/** The parameters of queries that take names of things. */
const NAMING_PARAMETERS =
  /object|list|record|entry|attribute|view|field|webhook|job|thread|actor|search|types|filter|query/

function* queriesWithHiddenNames(): Generator<Asked> {
  for (const { method, template, query } of operations().filter(({ method }) => method === 'GET')) {
    const ofPerson = pathTo(template, { object: 'people', record_id: '«shared.linked»' })
    for (const path of new Set([pathTo(template), ofPerson])) {
      yield { method, path }
      if (query.includes('limit')) yield { method, path: `${path}?limit=1` }
      if (query.includes('offset'))
        for (let offset = 0; offset < 8; offset++) yield { method, path: `${path}?limit=1&offset=${offset}` }
      for (const name of query.filter((each) => NAMING_PARAMETERS.test(each)))
        for (const word of wordsFor(name, `${path} ${name}`)) yield { method, path: `${path}?${name}=${word}` }
    }
  }
}

function* bodiesWithHiddenNames(): Generator<Asked> {
  for (const operation of operations()) {
    const { method, template, body } = operation
    if (body === undefined || isNewSlug(operation)) continue
    for (const place of placesIn(body)) {
      if (isSharedFilter(operation, place)) continue
      const about = `${method} ${template} ${place.join('.')}`
      const { alike, others } = wordsByMeaning(String(place.findLast((part) => typeof part === 'string') ?? ''))
      for (const word of [
        ...someOf(alike, WORDS_IN_BODIES.alike, about),
        ...someOf(others, WORDS_IN_BODIES.others, about),
      ])
        yield {
          method,
          path: pathTo(template) + required(operation),
          body: named(first(), jsonWith(body, place, JSON.stringify(word))),
        }
    }
  }
}

/** A shared view or chart whose filter names something hidden is absent, also for the member who wrote it. */
const isSharedFilter = ({ template }: Operation, place: readonly (string | number)[]): boolean =>
  /\/(?:views|dashboards)/.test(template) && place.includes('filter')

/** A new object, list, activity or attribute cannot have the slug of a hidden one. See docs/access.md. */
const isNewSlug = ({ method, template }: Operation): boolean =>
  ['POST', 'PATCH'].includes(method) && /\/(?:objects|lists|activities|attributes)(?:\/\{\w+\})?$/.test(template)

const HIDDEN_RECORD = { target_object: '«hidden.object»', target_record_id: '«hidden.record»' }
const LINKED = '/v2/objects/people/records/«shared.linked»'

/** Filters whose parts lead to hidden things. */
const FILTERS: readonly object[] = [
  { vault_link: { $not_empty: true } },
  { vault_lnk: { $not_empty: true } },
  { '«hidden.linkId»': { $not_empty: true } },
  { mixed: { target_object: { $eq: 'vaults' } } },
  { mixed: { target_object: { $eq: 'vault' } } },
  { mixed: { target_object: { $eq: '«hidden.objectId»' } } },
  { mixed: { target_record_id: { $eq: '«hidden.record»' } } },
  { mixed: { target_record_id: { $in: ['«hidden.record»', '«ids.company»'] } } },
  { $not: { mixed: { target_record_id: { $eq: '«hidden.record»' } } } },
  { mixed: HIDDEN_RECORD },
  { mixed: '«hidden.record»' },
  { mixed: { $not_empty: true } },
  { mixed: { $empty: true } },
  { mixed_one: HIDDEN_RECORD },
  { mixed_one: { $not_empty: true } },
  { mixed_one: { $empty: true } },
  { $not: { mixed_one: { $empty: true } } },
  { mixed_one: { target_object: 'companies' } },
  { path: [['people', 'mixed'], ['vaults', 'vault_code']], constraints: { $eq: 'zebra' } },
  { path: [['people', 'mixed'], ['vaults', 'vault_cod']], constraints: { $eq: 'zebra' } },
  { path: [['people', 'mixed'], ['vault', 'vault_code']], constraints: { $eq: 'zebra' } },
  { path: [['people', 'mixed_one'], ['companies', 'vault_code']], constraints: { $eq: 'zebra' } },
  { path: [['people', 'mixed'], ['companies', 'name']], constraints: { $not_empty: true } },
  { path: [['people', 'vault_link'], ['vaults', 'vault_code']], constraints: { $eq: 'zebra' } },
  { path: [['private_list', 'private_note']], constraints: { $eq: 'zebra' } },
  { path: [['«hidden.privateListId»', '«hidden.privateAttributeId»']], constraints: { $eq: 'zebra' } },
] // prettier-ignore

const SQL = [
  'select * from vaults',
  'select * from vault',
  'select * from objects.vaults',
  'select * from objects.vault',
  'select * from vault_list',
  'select * from lists.private_list',
  'select * from lists.privat_list',
  'select * from private_list',
  'select vault_link from people',
  'select vault_lnk from people',
  'select p.vault_lnk from people p',
  'select vaults.vault_code from people',
  'select record_id, mixed, mixed_one from people order by created_at',
  'select count(mixed_one), count(*) filter (where mixed_one is null) from people',
  'select * from information_schema.tables',
  'select table_name, column_name from information_schema.columns',
]

const TOOLS: readonly [string, object][] = [
  ['get_data_model', {}],
  ['get_data_model', { slug: 'people' }],
  ...['vaults', 'vault', 'vault_list', 'private_list', 'privat_list'].map((slug): [string, object] => [
    'get_data_model',
    { slug },
  ]),
  ['query_records', { object: 'vault' }],
  ['query_records', { object: 'vaults' }],
  ['query_records', { object: 'people' }],
  ...FILTERS.map((filter): [string, object] => ['query_records', { object: 'people', filter }]),
  ['get_record', { object: 'people', record_id: '«shared.linked»' }],
  ['get_record', { object: 'people', record_id: '«hidden.lostRecord»' }],
  ['get_record', { object: 'vaults', record_id: '«hidden.record»' }],
  ['search_records', { query: 'zebra', objects: ['people'] }],
  ['search_records', { query: 'zebra', objects: ['vault'] }],
  ['list_entries', { list: 'private_list' }],
  ['query_entries', { list: 'privat_list' }],
  ['update_record', { object: 'people', record_id: '«shared.open»', values: { vault_lnk: 'x' } }],
]

/** Bodies that name hidden things where a sample of all places does not. */
function* requestsAboutHiddenThings(): Generator<Asked> {
  const post = (path: string, body: unknown, method = 'POST'): Asked => ({ method, path, body: JSON.stringify(body) })
  const people = '/v2/objects/people'
  for (const filter of FILTERS) {
    yield post(`${people}/records/query`, { filter, include_count: true })
    yield post(`${people}/records/aggregate`, { filter, aggregates: [{ function: 'count' }] })
    yield post(`${people}/views`, { data: { title: 'New', type: 'table', filter, is_personal: true } })
    yield post(`/v2/lists/«ids.list»/entries/query`, {
      filter: {
        path: [
          ['«ids.list»', 'parent_record'],
          ['people', 'mixed'],
          ['vaults', 'vault_code'],
        ],
        constraints: {},
      },
    })
    yield post(`${people}/records/bulk`, { data: { filter, operation: { op: 'update', values: { vault_lnk: 'x' } } } })
  }
  for (const name of ['vault_link', 'vault_lnk', '«hidden.linkId»', 'mixed', 'mixed_one', 'vault_code']) {
    yield post(`${people}/records/query`, { sorts: [{ attribute: name, direction: 'asc' }] })
    yield post(`${people}/records/query`, {
      sorts: [
        {
          path: [
            ['people', name],
            ['vaults', 'vault_code'],
          ],
          direction: 'asc',
        },
      ],
    })
    yield post(`${people}/records/query`, { fields: [name] })
    yield post(`${people}/records/aggregate`, { filter: {}, group_by: name, aggregates: [{ function: 'count' }] })
    yield post(`${people}/records/aggregate`, {
      filter: {},
      aggregates: [
        { attribute: name, function: 'filled' },
        { attribute: name, function: 'distinct' },
      ],
    })
    yield post(`${people}/views`, {
      data: { title: 'New', type: 'table', visible_attributes: [name], sorts: [], is_personal: true },
    })
    yield post(`${people}/records?matching_attribute=${name}`, { data: { values: { [name]: 'zebra' } } }, 'PUT')
    yield post(`${people}/records`, { data: { values: { [name]: 'x' } } })
    yield { method: 'GET', path: `${people}/records/export?format=csv&attributes=${name}` }
    yield { method: 'GET', path: `${people}/attributes/${name}` }
    yield { method: 'GET', path: `${LINKED}/attributes/${name}/values?show_historic=true` }
    yield post(`${LINKED}/attributes/${name}/values`, { data: { values: [], replace_history: false } }, 'PUT')
    const preview = {
      columns: { Name: 'name', Email: `${name}` },
      match: null,
      fallback: 'none',
      overwrite: false,
      country: null,
    }
    const ofImport = '/console/api/workspaces/«ids.workspace»/imports/«ids.import»/preview'
    yield post(ofImport, preview)
    yield post(ofImport, { ...preview, columns: { Email: 'name' }, match: name })
    yield post(ofImport, { ...preview, columns: { Email: `${name}.${name}` } })
    yield post(ofImport, { ...preview, columns: { Email: `${name}:text` } })
  }
  const references = [
    HIDDEN_RECORD, { ...HIDDEN_RECORD, target_object: 'vault' }, { ...HIDDEN_RECORD, target_object: 'people' }, { ...HIDDEN_RECORD, target_object: 'companies' },
    { target_object: 'vaults', vault_code: ['zebra'] }, { target_object: 'vaults', vault_cod: ['zebra'] }, '«hidden.record»', 'zebra', '«hidden.lostRecord»',
    { target_object: 'people', vault_lnk: ['x'] },
  ] // prettier-ignore
  for (const reference of references) {
    for (const name of ['mixed', 'mixed_one', 'company'])
      yield post(`${people}/records/«shared.open»?dry_run=true`, { data: { values: { [name]: reference } } }, 'PATCH')
    for (const name of ['anything', 'references', 'with_default', 'person'])
      yield post('/v2/objects/«ids.object»/records?dry_run=true', { data: { values: { [name]: reference } } })
    const task = { content: 'x', format: 'plaintext', deadline_at: null, is_completed: false, assignees: [] }
    yield post('/v2/tasks', { data: { ...task, linked_records: [reference] } })
    yield post('/v2/tasks/«shared.bothTask»', { data: { linked_records: [reference] } }, 'PATCH')
  }
  for (const object of ['vaults', 'vault', '«hidden.objectId»', 'people']) {
    const parent = { parent_object: object, parent_record_id: '«hidden.record»' }
    const of = { object, record_id: '«hidden.record»' }
    yield post('/v2/notes', { data: { ...parent, title: 'x', format: 'plaintext', content: 'x' } })
    yield post('/v2/files', { ...of, file_type: 'folder', name: 'x' })
    const author = { type: 'workspace-member', id: '«ids.member»' }
    yield post('/v2/comments', { data: { format: 'plaintext', content: 'x', author, record: of } })
    for (const method of ['PATCH', 'PUT'] as const)
      yield post('/v2/meetings/«shared.sharedMeeting»', { data: { linked_records: [of] } }, method)
    yield post('/v2/lists/«ids.list»/entries', { data: { ...parent, entry_values: {} } })
    yield post('/v2/lists', {
      data: {
        name: 'x',
        api_slug: `of_${object}`.replaceAll(/\W/g, ''),
        parent_object: object,
        workspace_access: 'full-access',
        workspace_member_access: [],
      },
    })
    yield post('/v2/objects/records/search', { query: 'zebra', objects: [object], request_as: { type: 'workspace' } })
    yield post('/v2/objects/records/search', {
      query: '«hidden.record»',
      objects: [object],
      request_as: { type: 'workspace' },
    })
    const attribute = {
      title: 'x',
      description: null,
      type: 'record-reference',
      is_required: false,
      is_unique: false,
      is_multiselect: false,
    }
    const slug = `to_${object}`.replaceAll(/\W/g, '')
    yield post(`${people}/attributes`, {
      data: {
        ...attribute,
        api_slug: slug,
        config: { record_reference: { allowed_objects: [object] } },
        ...(object === 'people'
          ? {}
          : { relationship: { object, title: 'Back', api_slug: 'back', is_multiselect: false } }),
      },
    })
    yield post(
      `${people}/attributes/mixed_one`,
      { data: { config: { record_reference: { allowed_objects: [object, 'companies'] } } } },
      'PATCH',
    )
    yield post(
      `${people}/attributes/mixed_one`,
      { data: { config: { record_reference: { allowed_objects: ['companies'] } } } },
      'PATCH',
    )
    for (const [names, id] of [
      ['object', 'record_id'],
      ['parent_object', 'parent_record_id'],
      ['linked_object', 'linked_record_id'],
      ['linked_object', 'linked_record_ids'],
    ] as const)
      for (const kind of ['notes', 'tasks', 'files', 'threads', 'meetings', 'emails'])
        yield { method: 'GET', path: `/v2/${kind}?${names}=${object}&${id}=«hidden.record»` }
    const console = '/console/api/workspaces/«ids.workspace»'
    yield { method: 'GET', path: `${console}/imports?object=${object}` }
    yield { method: 'PUT', path: `${console}/followed-records/${object}/«hidden.record»` }
    yield { method: 'GET', path: `${console}/objects/${object}/pictures?record_ids=«hidden.record»` }
    yield { method: 'DELETE', path: `${console}/objects/${object}/records/«hidden.record»/picture` }
    yield { method: 'GET', path: `${console}/dismissed-duplicates?object=${object}&record_id=«hidden.record»` }
    yield { method: 'GET', path: `${console}/record-counts?object=${object}&record_id=«hidden.record»` }
    yield post(`${console}/dismissed-duplicates`, { ...of, other_record_id: '«shared.linked»' })
    yield post(`${console}/merge-previews`, {
      object,
      primary_record_id: '«shared.linked»',
      secondary_record_id: '«hidden.record»',
    })
    yield post(`/v2/objects/${object}/records/merge`, {
      data: { primary_record_id: '«shared.linked»', secondary_record_id: '«hidden.record»' },
    })
    yield post(`/v2/objects/${object}/records/«hidden.lostRecord»/restore`, {})
    const operations = [{ op: 'update', record_id: '«hidden.lostRecord»', values: {} }, { op: 'delete', record_id: '«hidden.record»' }, { op: 'upsert', matching_attribute: 'vault_lnk', values: {} }] // prettier-ignore
    yield post(`/v2/objects/${object}/records/batch`, { data: { operations } })
  }
  for (const list of [
    'vault_list',
    'vault_lis',
    'private_list',
    'privat_list',
    '«hidden.privateListId»',
    '«hidden.listId»',
  ]) {
    for (const entry of ['«hidden.entry»', '«hidden.privateEntry»']) {
      yield { method: 'GET', path: `/v2/threads?list=${list}&entry_id=${entry}` }
      yield {
        method: 'GET',
        path: `/console/api/workspaces/«ids.workspace»/comment-counts?list=${list}&entry_ids=${entry}`,
      }
      const author = { type: 'workspace-member', id: '«ids.member»' }
      yield post('/v2/comments', {
        data: { format: 'plaintext', content: 'x', author, entry: { list, entry_id: entry } },
      })
    }
    yield post(`/v2/lists/${list}/entries/query`, {})
  }
  for (const thread of ['«hidden.thread»', '«hidden.privateThread»'])
    yield post('/v2/comments', {
      data: {
        format: 'plaintext',
        content: 'x',
        author: { type: 'workspace-member', id: '«ids.member»' },
        thread_id: thread,
      },
    })
  const fields: readonly [string, string][] = [
    ['record.created', 'id.object_id'], ['record.created', 'id.record_id'], ['record.updated', 'id.attribute_id'], ['list-entry.created', 'id.list_id'],
    ['list-entry.updated', 'id.attribute_id'], ['list-entry.created', 'id.entry_id'], ['list-attribute.created', 'id.attribute_id'], ['comment.created', 'list_id'],
  ] // prettier-ignore
  for (const [event_type, field] of fields)
    for (const [, word] of someOf(words(), WORDS_IN_FILTERS, event_type + field)) {
      const filter = { $and: [{ field, operator: 'equals', value: word }] }
      yield post('/v2/webhooks', {
        data: { target_url: 'https://example.com/new', subscriptions: [{ event_type, filter }] },
      })
      yield post('/v2/webhooks/«ids.webhook»/test', {
        data: { event_type, event: { id: { [field.replace('id.', '')]: word } } },
      })
    }
  for (const event_type of ALL_EVENTS) yield post('/v2/webhooks/«ids.webhook»/test', { data: { event_type } })
  for (const view of ['view', 'recordView', 'privateView'])
    yield { method: 'PUT', path: `/console/api/workspaces/«ids.workspace»/view-pins/«hidden.${view}»` }
  for (const sql of SQL) yield post('/v2/sql', { sql })
  for (const [name, args] of TOOLS)
    yield {
      ...post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } }),
      withKey: true,
    }
  yield { ...post('/mcp', { jsonrpc: '2.0', id: 1, method: 'resources/list', params: {} }), withKey: true }
}

/** Changes by the member, after which records have other references than before. */
function* changes(): Generator<Asked> {
  const people = '/v2/objects/people'
  const send = (method: string, path: string, data?: object): Asked => ({
    method,
    path,
    ...(data && { body: JSON.stringify({ data }) }),
  })
  const company = { target_object: 'companies', target_record_id: '«ids.company»' }
  yield send('PATCH', LINKED, { values: { mixed: [company] } })
  yield send('PUT', `${LINKED}/attributes/mixed_one/values`, {
    values: [{ ...company, active_from: '2024-01-01T00:00:00Z', active_until: null }],
    replace_history: true,
  })
  for (const change of [
    { is_required: true },
    { is_required: false },
    { is_unique: true },
    { title: 'Both' },
    { sort_order: 0 },
    { is_archived: true },
    { is_archived: false },
  ])
    for (const name of ['mixed', 'mixed_one', 'job_title']) yield send('PATCH', `${people}/attributes/${name}`, change)
  yield send('POST', `${people}/records/merge`, {
    primary_record_id: '«shared.open»',
    secondary_record_id: '«shared.linked»',
  })
  yield { method: 'GET', path: LINKED }
  yield { method: 'GET', path: `${people}/trash?limit=1` }
  yield send('POST', '/v2/objects/«ids.object»/records', { values: { text: 'by default' } })
  yield { method: 'DELETE', path: '/v2/objects/companies/records/«ids.company»' }
  yield { method: 'GET', path: '/v2/objects/companies/trash?limit=1' }
  yield { method: 'POST', path: '/v2/objects/companies/records/«ids.company»/restore' }
  yield { method: 'DELETE', path: `${people}/attributes/mixed` }
  yield { method: 'DELETE', path: '/v2/tasks/«shared.bothTask»' }
  yield { method: 'DELETE', path: '/v2/meetings/«shared.sharedMeeting»' }
  yield { method: 'DELETE', path: '/v2/lists/«ids.list»' }
  yield { method: 'DELETE', path: '/v2/objects/«ids.object»' }
  yield { method: 'DELETE', path: '/v2/objects/«ids.object»' }
  yield { method: 'GET', path: '/console/api/workspaces/«ids.workspace»/assistants' }
}

/** A test that the twins answer all these requests alike. */
const testTwins = (title: string, requests: () => Iterable<Asked>): void =>
  test(title, async () => expect(await differencesOf(requests())).toEqual([]), TIME)

describe('a member cannot tell a hidden thing from an absent one', () => {
  testTwins('by the queries of all reads', queriesWithHiddenNames)

  testTwins('by the queries of all reads, with an API key', () =>
    [...queriesWithHiddenNames()]
      .filter(({ path }) => path.startsWith('/v2/'))
      .map((asked) => ({ ...asked, withKey: true })),
  )

  testTwins('by the paths of all operations', pathsWithHiddenNames)

  testTwins('by requests about hidden things', requestsAboutHiddenThings)

  testTwins('by the bodies of all operations', bodiesWithHiddenNames)

  test(
    'by changes, and by what is read after them',
    async () => {
      expect(await differencesOf(changes())).toEqual([])
      // The deliveries of test events that name what is hidden are absent, although the caller wrote them.
      for (const { adminKey, ids } of service().twins)
        expect((await createRequest(service().url, adminKey)('DELETE', `/v2/webhooks/${ids.webhook}`)).status).toBe(200)
      expect(await differencesOf(queriesWithHiddenNames())).toEqual([])
      expect(succeeded.size).toBeGreaterThan(300)
    },
    TIME,
  )
})

describe('nobody can tell a deleted object from an absent one', () => {
  beforeAll(() => void (hiding = 'deleted'))

  testTwins('by the queries of all reads', queriesWithHiddenNames)

  testTwins('by requests about the object', () =>
    [...requestsAboutHiddenThings()].filter(({ path }) => isCompared(path)),
  )
})
