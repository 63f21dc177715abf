/** Valid bodies of operations whose schemas do not determine one. A hostile body differs from a valid one in one place. */

import type { ConsoleIds, Ids } from './fixtures'

const VALUES = {
  text: 'a',
  number: 1,
  checkbox: true,
  currency: 1.5,
  date: '2024-01-01',
  timestamp: '2024-01-01T00:00:00Z',
  rating: 3,
  location: 'London, UK',
  status: 'Doing',
  select: 'Low',
  selects: ['Red', 'Blue'],
  domain: { domain: 'relata.dev' },
  email: { email_address: 'b@example.com' },
  phone: { original_phone_number: '4155552671', country_code: 'US' },
  members: ['admin@relata.local', { workspace_member_email_address: 'admin@relata.local' }],
  references: [{ target_object: 'people', email_addresses: ['own@relata.dev'] }],
}

/** Values of unique attributes. */
const OWN_VALUES = {
  ...VALUES,
  domains: ['example.com', { domain: 'relata.dev' }],
  emails: ['a@example.com', { email_address: 'b@example.com' }],
  phones: ['+14155552671', { original_phone_number: '4155552672', country_code: 'US' }],
}

const ENTRY_VALUES = { text: 'a', select: 'Low', status: 'Doing' }

const ATTRIBUTE = {
  title: 'Example',
  description: 'x',
  api_slug: 'example',
  type: 'select',
  is_required: false,
  is_unique: false,
  is_multiselect: true,
  default_value: null,
  config: {},
}
const REFERENCE = {
  ...ATTRIBUTE,
  type: 'record-reference',
  relationship: { object: 'companies', title: 'Back', api_slug: 'back', is_multiselect: true },
  config: { record_reference: { allowed_objects: ['companies'] } },
}
const ATTRIBUTE_CHANGE = {
  title: 'Example',
  description: 'x',
  is_required: false,
  is_archived: false,
  default_value: { type: 'static', template: [{ value: 'x' }] },
}
const STATUS = { title: 'Example', celebration_enabled: true, target_time_in_status: 'P1D' }
const VIEW = {
  title: 'Example',
  type: 'table',
  filter: { $and: [{ text: { $eq: 'a' } }, { $not: { select: 'Low' } }] },
  sorts: [{ attribute: 'text', field: 'value', direction: 'asc' }],
  visible_attributes: ['text', 'select'],
}
const NOTE = {
  title: 'Example',
  format: 'markdown',
  content: '# a\n- **b** [c](https://example.com)',
  meeting_id: null,
}
const meetingOn = (person: string) => ({
  title: 'Weekly',
  description: 'About the contract',
  start: { datetime: '2027-11-27T14:00:00', timezone: 'America/Halifax' },
  end: { datetime: '2027-11-27T19:00:00Z', timezone: null },
  is_all_day: false,
  participants: [{ email_address: 'own@relata.dev', name: 'Ada', is_organizer: 'true', status: 'accepted' }],
  linked_records: [{ object: 'people', record_id: person }],
})
const EXTERNAL_REF = {
  ical_uid: 'a',
  provider: 'google',
  original_start_time: '2027-11-27T14:00:00Z',
  is_recurring: true,
}
/** Without a URL of a video, whose host would be asked. */
const TRANSCRIPT = [
  { speech: 'a', start_time: 0.5, end_time: 1, speaker: { name: 'Ada', email_address: 'ada@relata.dev' } },
]
const QUERY = {
  filter: {
    $or: [
      { text: { $contains: 'a' }, select: { $in: ['Low'] } },
      { path: [['PARENT', 'text']], constraints: { value: 'a' } },
    ],
  },
  sorts: [{ attribute: 'text', field: 'value', direction: 'desc' }],
  limit: 10,
  offset: 0,
  include_count: true,
  fields: ['text', 'select'],
}
const AGGREGATION = {
  filter: {},
  aggregates: [{ attribute: 'created_at', function: 'filled' }],
  group_by: { attribute: 'created_at', step: 'month' },
  split_by: 'created_by',
}

const STATUS_HISTORY = { filter: {}, attribute: 'status', entered: { $relative: 'this_year' } }

const DASHBOARD = {
  title: 'Sales',
  charts: [
    {
      title: 'People by month',
      kind: 'bars',
      source: { object: 'people' },
      filter: { name: 'a' },
      aggregates: [{ attribute: 'name', function: 'filled' }],
      group_by: { attribute: 'created_at', step: 'month' },
      split_by: 'created_by',
      time_attribute: 'created_at',
      owner_attribute: 'created_by',
      place: { column: 0, row: 0, width: 6, height: 4 },
    },
  ],
}

const taskOn = (person: string, member: string) => ({
  content: 'Call back',
  format: 'plaintext',
  deadline_at: '2030-01-01T00:00:00Z',
  is_completed: true,
  linked_records: [{ target_object: 'people', target_record_id: person }, 'own@relata.dev', 'relata.dev', person],
  assignees: [
    { referenced_actor_type: 'workspace-member', referenced_actor_id: member },
    { workspace_member_email_address: 'admin@relata.local' },
    member,
  ],
})
const SCHEDULE = {
  frequency: 'weekly',
  weekday: 1,
  hour: 8,
  time_zone: 'Europe/Berlin',
  period: 'last_week',
  owner: 'me',
  is_paused: true,
}
const webhookOn = (object: string) => ({
  target_url: 'https://example.com/hook',
  subscriptions: [
    {
      event_type: 'record.updated',
      filter: { $and: [{ field: 'id.object_id', operator: 'equals', value: object }] },
      include: ['values'],
    },
  ],
})

/** Returns the bodies by method and path. */
export function validBodies({ person, company, member, app, appSecret, ...ids }: Ids & ConsoleIds) {
  const list = {
    name: 'Example',
    api_slug: 'example',
    workspace_access: 'full-access',
    workspace_member_access: [{ workspace_member_id: member, level: 'read-only' }],
  }
  const entry = { parent_object: 'people', parent_record_id: person, entry_values: ENTRY_VALUES }
  const query = (parent: string) => JSON.parse(JSON.stringify(QUERY).replace('PARENT', parent)) as object
  const client = { client_id: app, client_secret: appSecret }
  const ofApi: Readonly<Record<string, object>> = {
    'POST /v2/objects/{object}/attributes': REFERENCE,
    'POST /v2/lists/{list}/attributes': ATTRIBUTE,
    'PATCH /v2/objects/{object}/attributes/{attribute}': ATTRIBUTE_CHANGE,
    'PATCH /v2/lists/{list}/attributes/{attribute}': ATTRIBUTE_CHANGE,
    'PATCH /v2/objects/{object}/attributes/{attribute}/options/{option}': { title: 'Low', is_archived: false },
    'POST /v2/objects/{object}/attributes/{attribute}/statuses': STATUS,
    'POST /v2/lists/{list}/attributes/{attribute}/statuses': STATUS,
    'PATCH /v2/lists/{list}/attributes/{attribute}/options/{option}': { title: 'Low', is_archived: false },
    'PATCH /v2/lists/{list}/attributes/{attribute}/statuses/{status}': { ...STATUS, is_archived: false },
    'PATCH /v2/objects/{object}/attributes/{attribute}/statuses/{status}': { ...STATUS, is_archived: false },
    'POST /v2/objects/{object}/records': { values: VALUES },
    'PUT /v2/objects/{object}/records': { values: OWN_VALUES, values_on_create: { text: 'b' } },
    'PATCH /v2/objects/{object}/records/{record_id}': { values: OWN_VALUES },
    'PUT /v2/objects/{object}/records/{record_id}': { values: OWN_VALUES },
    'PUT /v2/objects/{object}/records/{record_id}/attributes/{attribute}/values': {
      values: [
        { value: 'a', active_from: '2024-01-01T00:00:00Z', active_until: '2024-02-01T00:00:00Z' },
        { value: 'b', active_from: '2024-02-01T00:00:00Z', active_until: null },
      ],
      replace_history: true,
    },
    'POST /v2/objects/{object}/records/batch': {
      atomic: false,
      operations: [
        { op: 'create', values: VALUES },
        { op: 'update', record_id: person, values: OWN_VALUES, mode: 'overwrite' },
      ],
    },
    'POST /v2/objects/{object}/records/bulk': {
      filter: { name: 'Nobody' },
      operation: { op: 'update', values: OWN_VALUES, mode: 'overwrite' },
    },
    'POST /v2/objects/{object}/records/merge': { primary_record_id: person, secondary_record_id: company },
    'POST /v2/notes': {
      ...NOTE,
      parent_object: 'people',
      parent_record_id: person,
      created_at: '2024-01-01T00:00:00Z',
    },
    'PATCH /v2/notes/{note_id}': NOTE,
    'POST /v2/lists': { ...list, parent_object: 'people' },
    'PATCH /v2/lists/{list}': { ...list, api_slug: 'renamed' },
    'POST /v2/lists/{list}/entries': entry,
    'POST /v2/lists/{list}/entries/batch': { operations: [{ op: 'create', ...entry }] },
    'POST /v2/lists/{list}/entries/bulk': {
      filter: { text: 'nothing' },
      operation: { op: 'update', entry_values: ENTRY_VALUES },
    },
    'PUT /v2/lists/{list}/entries': { ...entry, values_on_create: { text: 'b' } },
    'PATCH /v2/lists/{list}/entries/{entry_id}': { entry_values: ENTRY_VALUES },
    'PUT /v2/lists/{list}/entries/{entry_id}': { entry_values: ENTRY_VALUES },
    'PUT /v2/lists/{list}/entries/{entry_id}/attributes/{attribute}/values': {
      values: [{ value: 'a', active_from: '2024-01-01T00:00:00Z', active_until: null }],
      replace_history: true,
    },
    'POST /v2/objects/{object}/views': VIEW,
    'PATCH /v2/objects/{object}/views/{view_id}': { ...VIEW, is_archived: false },
    'POST /v2/lists/{list}/views': VIEW,
    'PATCH /v2/lists/{list}/views/{view_id}': { ...VIEW, is_archived: false },
    'POST /v2/dashboards': DASHBOARD,
    'PATCH /v2/dashboards/{dashboard_id}': DASHBOARD,
    'POST /v2/dashboards/{dashboard_id}/schedules': { ...SCHEDULE, workspace_member_id: member },
    'PATCH /v2/dashboards/{dashboard_id}/schedules/{schedule_id}': SCHEDULE,
    'POST /v2/tasks': taskOn(person, member),
    'PATCH /v2/tasks/{task_id}': taskOn(person, member),
    'POST /v2/meetings': { ...meetingOn(person), external_ref: EXTERNAL_REF },
    'PATCH /v2/meetings/{meeting_id}': meetingOn(person),
    'PUT /v2/meetings/{meeting_id}': { linked_records: [{ object: 'people', record_id: person }] },
    'POST /v2/meetings/{meeting_id}/call_recordings': { transcript: TRANSCRIPT },
    'POST /v2/comments': {
      format: 'plaintext',
      content: 'Ask admin@relata.local',
      author: { type: 'workspace-member', id: member },
      created_at: '2024-01-01T00:00:00Z',
      entry: { list: ids.list, entry_id: ids.entry },
    },
    'PATCH /v2/comments/{comment_id}': { is_resolved: true },
    'POST /v2/sequences/unsubscribed_emails': { email_addresses: ['ada@relata.dev'] },
    'POST /v2/webhooks': webhookOn(ids.object),
    'PATCH /v2/webhooks/{webhook_id}': webhookOn(ids.object),
    'POST /v2/webhooks/{webhook_id}/test': {
      event_type: 'record.updated',
      event: { id: { object_id: ids.object, record_id: person, attribute_id: ids.attributes.object.text } },
    },
    'PATCH /v2/objects/{object}': { api_slug: 'renamed_object', singular_noun: 'Renamed', plural_noun: 'Renameds' },
  }
  return {
    ...Object.fromEntries(Object.entries(ofApi).map(([key, data]) => [key, { data }])),
    'POST /v2/objects/{object}/records/query': query(ids.object),
    'POST /v2/lists/{list}/entries/query': query(ids.list),
    'POST /v2/objects/{object}/records/aggregate': AGGREGATION,
    'POST /v2/lists/{list}/entries/aggregate': AGGREGATION,
    'POST /v2/objects/{object}/records/status-history': STATUS_HISTORY,
    'POST /v2/lists/{list}/entries/status-history': STATUS_HISTORY,
    'POST /v2/sql': { sql: 'select name from people where record_id = $1', parameters: [person] },
    'POST /v2/files': {
      object: 'people',
      record_id: person,
      file_type: 'folder',
      name: 'Contracts',
      parent_folder_id: ids.folder,
    },
    'POST /oauth/token': {
      grant_type: 'authorization_code',
      code: 'x',
      redirect_uri: 'https://app.example.com/callback',
      code_verifier: 'a-verifier-that-is-long-enough-to-be-one-0123456789',
      ...client,
    },
    'POST /oauth/introspect': { token: 'x'.repeat(64), ...client },
    'POST /oauth/revoke': { token: 'x'.repeat(64), token_type_hint: 'access_token', ...client },
  } as Readonly<Record<string, unknown>>
}
