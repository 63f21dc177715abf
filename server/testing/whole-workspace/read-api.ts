/** What the API shows of a workspace, by path. Webhooks are left out, because a key sees those of its own. */

import type { AnswerBody } from '#testing/client'
import type { TestService } from '#testing/service'

type Answers = Record<string, unknown>

export async function readApi({ request }: TestService, key: string): Promise<Answers> {
  const answers: Answers = {}
  const read = async (method: string, path: string, body?: object) => {
    const { status, body: answer } = await request(method, `/v2${path}`, body, { key })
    if (status !== 200 && !hasNoHistory(answer))
      throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(answer)}`)
    answers[`${method} ${path}`] = answer
    return answer.data
  }
  for (const path of ['/workspace_members', '/objects', '/lists', '/tasks', '/notes', '/meetings', '/emails'])
    await read('GET', path)
  for (const { id } of await read('GET', '/dashboards')) await read('GET', `/dashboards/${id.dashboard_id}`)
  for (const { api_slug } of await read('GET', '/objects')) await readEntityType(read, `/objects/${api_slug}`)
  for (const { api_slug } of await read('GET', '/lists')) await readEntityType(read, `/lists/${api_slug}`)
  for (const { id } of await read('GET', '/meetings')) {
    for (const recording of await read('GET', `/meetings/${id.meeting_id}/call_recordings`)) {
      await read('GET', `/meetings/${id.meeting_id}/call_recordings/${recording.id.call_recording_id}/transcript`)
    }
  }
  await read('POST', '/sql', { sql: 'select name, many_select from ships order by name' })
  await read('POST', '/objects/records/search', {
    query: 'ada',
    objects: ['people', 'ships'],
    request_as: { type: 'workspace' },
  })
  return answers
}

const hasNoHistory = ({ message }: { readonly message?: string }) => message?.includes('keep no history') === true

type Read = (method: string, path: string, body?: object) => Promise<AnswerBody>

async function readEntityType(read: Read, path: string): Promise<void> {
  const attributes = await read('GET', `${path}/attributes?show_archived=true`)
  for (const { api_slug, type } of attributes) {
    if (type === 'select') await read('GET', `${path}/attributes/${api_slug}/options?show_archived=true`)
    if (type === 'status') await read('GET', `${path}/attributes/${api_slug}/statuses?show_archived=true`)
  }
  const isObject = path.startsWith('/objects')
  await read('GET', `${path}/views`)
  const entities = isObject ? 'records' : 'entries'
  for (const { id } of await read('POST', `${path}/${entities}/query`, {})) {
    const entity = `${path}/${entities}/${id[isObject ? 'record_id' : 'entry_id']}`
    await read('GET', entity)
    for (const { api_slug, is_archived } of attributes)
      if (!is_archived) await read('GET', `${entity}/attributes/${api_slug}/values?show_historic=true`)
    if (isObject) await readRecord(read, entity, path.slice('/objects/'.length), id.record_id)
  }
}

async function readRecord(read: Read, path: string, object: string, id: string): Promise<void> {
  await read('GET', `${path}/entries`)
  await read('GET', `/threads?object=${object}&record_id=${id}`)
  await read('GET', `/files?object=${object}&record_id=${id}`)
  await read('GET', `/notes?parent_object=${object}&parent_record_id=${id}`)
}
