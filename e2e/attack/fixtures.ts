/** Creates one thing of each kind in a workspace. The ids are named like path parameters. */

import type { Request } from '../support/http/client'
import { entryClient, entryIdOf } from '../support/fixtures/entries'
import { EVERY_ATTRIBUTE, makeActivity, makeList, makeObject } from '../support/fixtures/model'
import type { Browser } from '../support/http/oauth'
import { createRecord, recordIdOf } from '../support/fixtures/value-cases'

type Kind = 'object' | 'list' | 'activity'

export interface Ids {
  readonly object: string
  readonly list: string
  readonly activity: string
  /** The ids of a select, a status and a text attribute, of the object, of the list and of the activity. */
  readonly attributes: Readonly<Record<Kind, Readonly<Record<'select' | 'status' | 'text', string>>>>
  readonly option: Readonly<Record<Kind, string>>
  readonly status: Readonly<Record<Kind, string>>
  readonly record: string
  readonly person: string
  readonly company: string
  readonly entry: string
  readonly activityRecord: string
  readonly note: string
  readonly view: string
  readonly listView: string
  readonly activityView: string
  readonly task: string
  readonly comment: string
  readonly thread: string
  readonly meeting: string
  readonly callRecording: string
  readonly folder: string
  readonly file: string
  readonly webhook: string
  readonly delivery: string
  readonly testEndpoint: string
  readonly dashboard: string
  readonly schedule: string
  readonly job: string
  readonly hook: string
  readonly member: string
  readonly workspace: string
}

/** Every name and value contains `mark`, so that a test finds it in a response that must not show it. */
export async function makeFixtures(request: Request, mark: string): Promise<Ids> {
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await request(method, path, body)
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body.data
  }
  const slug = `everything_${mark}`
  const object = await makeObject(request, slug, EVERY_ATTRIBUTE)
  const person = recordIdOf(await createRecord(request, 'people', { email_addresses: [`${mark}@relata.dev`] }))
  const company = recordIdOf(await createRecord(request, 'companies', { domains: [`${mark}.dev`] }))
  const record = recordIdOf(await createRecord(request, slug, { text: mark, select: 'Low' }))
  const choices = EVERY_ATTRIBUTE.filter(({ api_slug }) => ['text', 'select', 'status'].includes(api_slug))
  const list = await makeList(request, `list_${mark}`, choices)
  const entries = entryClient(request, list)
  const entry = entryIdOf(await entries.create(person, { text: mark }))
  const activity = await makeActivity(request, `activity_${mark}`, choices)
  const activityRecord = await ask('POST', `/v2/activities/${activity}/records`, {
    data: { values: { text: mark, people: [person] } },
  })
  const noteOn = {
    parent_object: 'companies',
    parent_record_id: company,
    title: mark,
    format: 'markdown',
    content: mark,
  }
  const note = await ask('POST', '/v2/notes', { data: noteOn })
  const attributeOf = async (owner: string, attribute: string) =>
    String((await ask('GET', `/v2/${owner}/attributes/${attribute}`)).id.attribute_id)
  const attributesOf = async (owner: string) => ({
    select: await attributeOf(owner, 'select'),
    status: await attributeOf(owner, 'status'),
    text: await attributeOf(owner, 'text'),
  })
  const attributes = {
    object: await attributesOf(`objects/${object}`),
    list: await attributesOf(`lists/${list}`),
    activity: await attributesOf(`activities/${activity}`),
  }
  const optionOf = async (owner: string) =>
    String((await ask('GET', `/v2/${owner}/attributes/select/options`))[0].id.option_id)
  const statusOf = async (owner: string) =>
    String((await ask('GET', `/v2/${owner}/attributes/status/statuses`))[0].id.status_id)
  const view = { title: mark, type: 'table' }
  const objectView = await ask('POST', `/v2/objects/${object}/views`, { data: view })
  const listView = await ask('POST', `/v2/lists/${list}/views`, { data: view })
  const activityView = await ask('POST', `/v2/activities/${activity}/views`, { data: view })
  const task = await ask('POST', '/v2/tasks', {
    data: {
      content: mark,
      format: 'plaintext',
      deadline_at: '2030-01-01',
      is_completed: false,
      linked_records: [person],
      assignees: [],
    },
  })
  const meeting = await ask('POST', '/v2/meetings', {
    data: {
      title: mark,
      description: mark,
      start: { date: '2030-01-01' },
      end: { date: '2030-01-02' },
      is_all_day: true,
      participants: [{ name: mark, is_organizer: true, status: 'accepted' }],
    },
  })
  const segment = { speech: mark, start_time: 0, end_time: 1, speaker: { name: mark } }
  const recordings = `/v2/meetings/${meeting.id.meeting_id}/call_recordings`
  const recording = await ask('POST', recordings, { data: { transcript: [segment] } })
  const inPeople = { object: 'people', record_id: person }
  const folder = (await ask('POST', '/v2/files', { ...inPeople, file_type: 'folder', name: mark })).id.file_id
  const subscriptions = [{ event_type: 'record.created', filter: null }]
  const target_url = `https://example.com/${mark}`
  const webhook = (await ask('POST', '/v2/webhooks', { data: { target_url, subscriptions } })).id.webhook_id
  const delivery = await ask('POST', `/v2/webhooks/${webhook}/test`, { data: { event_type: 'record.created' } })
  const endpoint = await ask('POST', '/v2/test_endpoints', { data: { name: mark } })
  const bulk = { data: { filter: { text: `not ${mark}` }, operation: { op: 'delete' } } }
  const job = await request('POST', `/v2/objects/${slug}/records/bulk`, bulk)
  if (job.status !== 202) throw new Error(`The job was answered with ${job.status}: ${JSON.stringify(job.body)}`)
  const self = (await request('GET', '/v2/self')).body
  const author = { type: 'workspace-member', id: self.authorized_by_workspace_member_id }
  const comment = await ask('POST', '/v2/comments', {
    data: { format: 'plaintext', content: mark, author, entry: { list, entry_id: entry } },
  })
  const dashboard = (await ask('POST', '/v2/dashboards', { data: { title: mark } })).id.dashboard_id
  const daily = { workspace_member_id: author.id, frequency: 'daily', hour: 8, time_zone: 'UTC' }
  const schedule = await ask('POST', `/v2/dashboards/${dashboard}/schedules`, { data: daily })
  return {
    object,
    list,
    activity,
    attributes,
    option: {
      object: await optionOf(`objects/${object}`),
      list: await optionOf(`lists/${list}`),
      activity: await optionOf(`activities/${activity}`),
    },
    status: {
      object: await statusOf(`objects/${object}`),
      list: await statusOf(`lists/${list}`),
      activity: await statusOf(`activities/${activity}`),
    },
    record,
    person,
    company,
    entry,
    activityRecord: activityRecord.id.record_id,
    note: note.id.note_id,
    view: objectView.id.view_id,
    listView: listView.id.view_id,
    activityView: activityView.id.view_id,
    task: task.id.task_id,
    comment: comment.id.comment_id,
    thread: comment.thread_id,
    meeting: meeting.id.meeting_id,
    callRecording: recording.id.call_recording_id,
    folder,
    file: await uploadedFile(request, { ...inPeople, parent_folder_id: folder }, mark),
    webhook,
    delivery: delivery.delivery_id,
    job: job.body.data.id.job_id,
    testEndpoint: endpoint.test_endpoint_id,
    dashboard,
    schedule: schedule.id.schedule_id,
    hook: new URL(endpoint.url).pathname.split('/')[2] ?? '',
    member: self.authorized_by_workspace_member_id,
    workspace: self.workspace_id,
  }
}

async function uploadedFile(request: Request, texts: Readonly<Record<string, string>>, mark: string): Promise<string> {
  const form = new FormData()
  for (const [name, text] of Object.entries(texts)) form.set(name, text)
  form.set('file', new File([mark], `${mark}.txt`))
  const body = new Response(form)
  const headers = { 'Content-Type': body.headers.get('content-type') ?? '' }
  const answer = await request('POST', '/v2/files/upload', await body.bytes(), { headers })
  if (answer.status !== 201) throw new Error(`The upload ended with ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body.data.id.file_id
}

/** The ids of things that only the console has. */
export type ConsoleIds = Readonly<Record<'key' | 'app' | 'appSecret' | 'invitation' | 'import', string>>

export async function makeConsoleFixtures(
  { ask, headers }: Browser,
  url: string,
  workspace: string,
): Promise<ConsoleIds> {
  const path = `/workspaces/${workspace}`
  const made = async (of: string, body: object) => String((await ask('POST', `${path}/${of}`, body)).data.id)
  const app = {
    name: 'Sync',
    redirect_uris: ['https://app.example.com/callback', 'http://localhost:3000/callback'],
    scopes: ['note:read'],
  }
  const upload = await fetch(`${url}/console/api${path}/imports?object=people&file_name=x.csv`, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'text/csv' },
    body: 'Name,Email\nAda,ada@example.com\n',
  })
  const { data: client } = await ask('POST', `${path}/apps`, app)
  return {
    key: await made('keys', { name: 'Another', scopes: ['note:read'] }),
    app: String(client.client_id),
    appSecret: String(client.client_secret),
    invitation: await made('invitations', { email_address: 'guest@example.com', access_level: 'member' }),
    import: String((await upload.json()).data.id),
  }
}
