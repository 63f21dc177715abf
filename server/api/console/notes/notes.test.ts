import { beforeAll, describe, expect, test } from 'bun:test'
import { Value } from 'typebox/value'
import { signedIn, type Person } from '#testing/people'
import { usePerson, useTestService } from '#testing/use-service'
import { NoteDocument } from './schemas'

const service = useTestService()
const member = usePerson(service, 'member')
let recordId: string
beforeAll(async () => {
  const { body } = await service.request('POST', '/v2/objects/people/records', { data: { values: { name: 'Ada' } } })
  recordId = body.data.id.record_id
})

async function createNote(content: string): Promise<string> {
  const data = { parent_object: 'people', parent_record_id: recordId, title: 'T', format: 'markdown', content }
  return (await service.request('POST', '/v2/notes', { data })).body.data.id.note_id
}

const readDocument = (person: Person, id: string, workspaceId = service.workspaceId) =>
  person.ask('GET', `/console/api/workspaces/${workspaceId}/notes/${id}/document`)

describe('GET /console/api/workspaces/{workspace_id}/notes/{note_id}/document', () => {
  test('200 with the blocks of the text and the version of the note', async () => {
    const id = await createNote('# A **b**\n\n1. [c](https://relata.dev)\n   - d')
    const { status, body, headers } = await readDocument(member, id)
    expect(status).toBe(200)
    expect(Value.Check(NoteDocument, body.data)).toBe(true)
    expect(body.data.blocks).toEqual([
      { heading: 1, text: [{ text: 'A ' }, { text: 'b', marks: ['bold'] }] },
      '',
      { item: 'number', indent: 0, text: [{ text: 'c', link: 'https://relata.dev' }] },
      { item: 'bullet', indent: 1, text: 'd' },
    ])
    const note = await service.request('GET', `/v2/notes/${id}`)
    expect(headers.get('etag')).toBe(note.headers.get('etag'))
    const changed = await service.request('PATCH', `/v2/notes/${id}`, { data: { title: 'New' } })
    expect((await readDocument(member, id)).headers.get('etag')).toBe(changed.headers.get('etag'))
  })

  test('400 for another id than a UUID', async () => {
    expect((await readDocument(member, 'x')).status).toBe(400)
  })

  test('404 for a note that does not exist, and for a note of another workspace', async () => {
    const id = await createNote('secret')
    const other = await service.anotherWorkspace()
    const stranger = await signedIn(service, { [other.workspaceId]: 'admin' })
    expect((await readDocument(member, crypto.randomUUID())).status).toBe(404)
    expect((await readDocument(stranger, id, other.workspaceId)).status).toBe(404)
    expect((await readDocument(stranger, id)).status).toBe(404)
  })
})
