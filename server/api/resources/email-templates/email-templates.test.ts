/** Templates, the emails that are written with them, and the links by which their recipients unsubscribe. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type SmtpServer, startSmtpServer } from '../../../../e2e/support/smtp-server'
import { addSendingAccount } from '#testing/sending-account'
import { usePerson, useTestService } from '#testing/use-service'
import { runWorker } from '#testing/workers'
import { sendingWorker } from '#transfer/connected-accounts/sending/worker'

const service = useTestService()
const ada = usePerson(service)

let smtp: SmtpServer
let person: string
let unnamed: string
beforeAll(async () => {
  smtp = startSmtpServer()
  await addSendingAccount(service, ada.memberIds[service.workspaceId] ?? '', { port: smtp.port })
  const create = async (object: string, values: object) =>
    (await service.request('POST', `/v2/objects/${object}/records`, { data: { values } })).body.data.id.record_id
  const company = await create('companies', { name: 'US Navy', domains: ['navy.mil'] })
  person = await create('people', {
    name: 'Hopper, Grace',
    email_addresses: ['grace@navy.mil'],
    job_title: 'Rear admiral\nretired',
    company: { target_object: 'companies', target_record_id: company },
  })
  unnamed = await create('people', { email_addresses: ['nobody@navy.mil'] })
})
afterAll(() => smtp.stop())

const TEMPLATE = {
  name: 'First contact',
  object: 'people',
  subject: 'Hello {{first_name | there}}, {{job_title | expert}}',
  text: 'Dear {{ first_name }} of {{company}},\nwrite to {{email_addresses}}.',
}
const create = (changes: object = {}) => service.request('POST', '/v2/emails/templates', { data: { ...TEMPLATE, ...changes } }) // prettier-ignore
const made = async (changes: object = {}): Promise<string> => (await create(changes)).body.data.id.template_id
const preview = (id: string, record = person) =>
  service.request('GET', `/v2/emails/templates/${id}/preview?record_id=${record}`)
const send = (changes: object) => ada.ask('POST', '/console/v2/emails/send', { data: { to: ['grace@navy.mil'], ...changes } }) // prettier-ignore

describe('templates', () => {
  test('200 for create, list, change and delete', async () => {
    const { body } = await create({ name: 'A name' })
    expect(body.message).toBeUndefined()
    expect(body.data).toMatchObject({ name: 'A name', object_slug: 'people', unsubscribe: false, text: TEMPLATE.text })
    expect(body.data.variables).toEqual(
      expect.arrayContaining(['first_name', 'last_name', 'name', 'job_title', 'company']),
    )
    expect(body.data.variables).not.toContain('created_by')
    const path = `/v2/emails/templates/${body.data.id.template_id}`
    const changed = await service.request('PATCH', path, { data: { text: 'Dear {{last_name}}' } })
    expect(changed.body.data).toMatchObject({ name: 'A name', text: 'Dear {{last_name}}' })
    const list = await service.request('GET', '/v2/emails/templates')
    expect(list.body.data).toEqual([changed.body.data])
    expect((await service.request('DELETE', path)).body).toEqual({})
    expect((await service.request('DELETE', path)).status).toBe(404)
    expect((await service.request('PATCH', path, { data: { name: 'x' } })).status).toBe(404)
  })

  test('400 for an unknown variable, with the nearest name', async () => {
    const { status, body } = await create({ text: 'Dear {{frist_name}} {{unsubscribe_url}}' })
    expect([status, body.did_you_mean]).toEqual([400, 'first_name'])
    expect(body.validation_errors).toMatchObject([
      { path: ['data', 'text'], message: 'Unknown variable "frist_name"; did you mean "first_name"?' },
      { path: ['data', 'text'], message: 'Unknown variable "unsubscribe_url"' },
    ])
    const id = await made()
    const path = `/v2/emails/templates/${id}`
    expect((await service.request('PATCH', path, { data: { subject: '{{x}}' } })).status).toBe(400)
    expect((await service.request('PATCH', path, { data: {} })).status).toBe(400)
    await service.request('DELETE', path)
  })

  test.each([
    ['a subject of two lines', { subject: 'a\nb' }],
    ['no text', { text: '' }],
    ['an unknown member', { html: 'x' }],
  ])('400 for %s', async (_, changes) => expect((await create(changes)).status).toBe(400))

  test('404 for an unknown object, and for templates of another workspace', async () => {
    expect((await create({ object: 'nothing' })).status).toBe(404)
    const id = await made()
    const { key } = await service.anotherWorkspace()
    for (const [method, path] of [['PATCH', ''], ['DELETE', ''], ['GET', `/preview?record_id=${person}`]] as const) // prettier-ignore
      expect((await service.request(method, `/v2/emails/templates/${id}${path}`, { data: { name: 'x' } }, { key })).status).toBe(404) // prettier-ignore
    await service.request('DELETE', `/v2/emails/templates/${id}`)
  })
})

describe('GET /v2/emails/templates/{template_id}/preview', () => {
  test('200 with the values of the record, and the variables without one', async () => {
    const id = await made()
    expect((await preview(id)).body.data).toEqual({
      subject: 'Hello Grace, Rear admiral retired',
      text: 'Dear Grace of US Navy,\nwrite to grace@navy.mil.',
      missing: [],
    })
    expect((await preview(id, unnamed)).body.data).toMatchObject({
      subject: 'Hello there, expert',
      missing: ['first_name', 'company'],
    })
    expect((await preview(id, crypto.randomUUID())).status).toBe(404)
    expect((await preview(id, 'nothing')).status).toBe(400)
  })
})

describe('an email with a template', () => {
  test('has its texts for the record, unless the request has others', async () => {
    const template_id = await made()
    const { body } = await send({ template_id, record_id: person, subject: 'Another subject' })
    expect(body.data).toMatchObject({
      subject: 'Another subject',
      text: 'Dear Grace of US Navy,\nwrite to grace@navy.mil.',
    })
    expect((await send({ template_id })).status).toBe(400)
    expect((await send({ template_id: crypto.randomUUID(), record_id: person })).body.code).toBe('value_not_found')
    const missing = await send({ template_id, record_id: unnamed })
    expect([missing.status, missing.body.message]).toEqual([
      400,
      expect.stringContaining('The record has no first_name'),
    ])
    const key = await service.memberKeyWith(['email:read-write'], ada.memberIds[service.workspaceId])
    const leaking = await service.request('POST', '/v2/emails/send', { data: { to: ['x@y.zz'], template_id, record_id: person } }, { key }) // prettier-ignore
    expect(leaking.status).toBe(403)
  })

  test('unsubscribes its recipient with one press', async () => {
    const template_id = await made({ text: 'Dear {{first_name}}. Stop: {{unsubscribe_url}}', unsubscribe: true })
    const several = await send({ template_id, record_id: person, cc: ['cc@navy.mil'] })
    expect([several.status, several.body.code]).toEqual([400, 'validation_type'])
    const { body } = await send({ template_id, record_id: person })
    const [url = ''] = /http\S+/.exec(body.data.text) ?? []
    expect(url).toStartWith('http://localhost:8080/unsubscribe/')
    await runWorker(sendingWorker, service.appContext)
    const sent = smtp.accepted.find(({ text }) => text.includes('Stop:'))?.text.replaceAll(/\r\n[ \t]+/g, ' ')
    expect(sent).toContain(`List-Unsubscribe: <${url}>`)
    expect(sent).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click')

    const open = (method: string, path = new URL(url).pathname, headers = {}) =>
      service.app.handle(new Request(`http://localhost:8080${path}`, { method, headers, body: method === 'POST' ? 'List-Unsubscribe=One-Click' : null })) // prettier-ignore
    const asked = await open('GET')
    expect([asked.status, await asked.text()]).toEqual([200, expect.stringContaining('<form method="post">')])
    const inGerman = await open('GET', undefined, { 'accept-language': 'de' })
    expect(await inGerman.text()).toContain('Keine E-Mails mehr an grace@navy.mil erhalten?')
    expect((await send({ subject: 'x', text: 'x' })).status).toBe(200)
    const done = await open('POST')
    expect([done.status, await done.text()]).toEqual([200, expect.stringContaining('grace@navy.mil')])
    expect((await send({ subject: 'x', text: 'x' })).body.code).toBe('recipient_unsubscribed')
    expect((await open('POST')).status).toBe(200)
    for (const path of ['/unsubscribe/x', `/unsubscribe/${'x'.repeat(2_000)}`, `${new URL(url).pathname}x`])
      expect((await open('POST', path)).status).toBe(404)
  })
})
