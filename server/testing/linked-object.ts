/** A custom object that much refers to, for tests of what its deletion hides and its restoration shows again. */

import { commentClient, onEntry, onRecord } from './comments'
import { fileClient } from './files'
import { meetingClient } from './meetings'
import type { TestService } from './service'
import { taskClient } from './tasks'
import { reference } from './trash'
import { dataOf } from './whole-workspace/data-of'

export interface LinkedObject {
  readonly slug: string
  readonly id: string
  /** An object with attributes that refer to it only (`only`), to it and people (`some`), and to anything (`anything`). */
  readonly other: string
  readonly list: string
  readonly record: string
  readonly entry: string
  readonly otherRecord: string
  readonly person: string
  /** The paths of everything that names a record of the object. */
  readonly paths: readonly string[]
}

export async function linkedObject(service: TestService, slug: string): Promise<LinkedObject> {
  const post = dataOf(service, 'POST')
  const object = (api_slug: string) =>
    post('/objects', { api_slug, singular_noun: api_slug, plural_noun: `${api_slug}s` })
  const attribute = (of: string, api_slug: string, members: object) =>
    post(`/objects/${of}/attributes`, { ...REFERENCE, title: api_slug, api_slug, ...members })
  const other = `${slug}_user`
  const list = `${slug}_list`
  const { id } = await object(slug)
  await object(other)
  await attribute(slug, 'code', { type: 'text', is_unique: true })
  await attribute(slug, 'kind', { type: 'select' })
  await post(`/objects/${slug}/attributes/kind/options`, { title: 'Blue' })
  await attribute(slug, 'owner', {
    relationship: { object: 'people', title: 'Owned', api_slug: `${slug}_owned`, is_multiselect: true },
  })
  await attribute(other, 'only', { config: { record_reference: { allowed_objects: [slug] } } })
  await attribute(other, 'some', {
    config: { record_reference: { allowed_objects: [slug, 'people'] } },
    is_multiselect: true,
  })
  await attribute(other, 'anything', {})
  const { id: listId } = await post('/lists', {
    name: list,
    api_slug: list,
    parent_object: slug,
    workspace_access: 'full-access',
    workspace_member_access: [],
  })
  const record = async (of: string, values: object): Promise<string> =>
    (await post(`/objects/${of}/records`, { values })).id.record_id
  const person = await record('people', { name: 'Lovelace, Ada' })
  const own = await record(slug, { code: `${slug} code`, kind: 'Blue', owner: reference('people', person) })
  const of = reference(slug, own)
  const otherRecord = await record(other, { only: of, some: [of, reference('people', person)], anything: of })
  const { id: entryId } = await post(`/lists/${list}/entries`, {
    parent_object: slug,
    parent_record_id: own,
    entry_values: {},
  })
  const entry = entryId.entry_id
  await post(`/lists/${list}/attributes`, { ...REFERENCE, type: 'text', title: 'Remark', api_slug: 'remark' })
  const parent = { parent_object: slug, parent_record_id: own }
  await post('/notes', { ...parent, title: `${slug} note`, format: 'plaintext', content: `${slug} note` })
  const task = await taskClient(service).task({ linked_records: [of] })
  const comments = commentClient(service)
  await comments.comment(onRecord(own, slug), { content: `${slug} comment` })
  await comments.comment(onEntry(list, entry), { content: `${slug} remark` })
  await fileClient(service, slug).folder(own, `${slug} folder`)
  const meeting = await meetingClient(service).meeting({ linked_records: [{ object: slug, record_id: own }] })
  await post(`/objects/${slug}/views`, { title: `${slug} view`, type: 'table', filter: {}, sorts: [] })
  return {
    slug,
    id: id.object_id,
    other,
    list,
    record: own,
    entry,
    otherRecord,
    person,
    paths: [
      `/objects/${slug}`,
      `/objects/${slug}/attributes`,
      `/objects/${slug}/attributes/kind/options`,
      `/objects/${slug}/views`,
      `/objects/${slug}/records/${own}`,
      `/objects/${slug}/records/${own}/activity`,
      `/objects/${slug}/records/${own}/attributes/code/values?show_historic=true`,
      `/objects/${slug}/records/${own}/entries`,
      `/lists/${list}`,
      `/lists/${list}/attributes`,
      `/lists/${list}/entries/${entry}`,
      `/lists/${listId.list_id}`,
      `/notes?parent_object=${slug}&parent_record_id=${own}`,
      `/threads?object=${slug}&record_id=${own}`,
      `/threads?list=${list}&entry_id=${entry}`,
      `/files?object=${slug}&record_id=${own}`,
      `/tasks/${task}`,
      `/tasks?linked_object=${slug}&linked_record_id=${own}`,
      `/meetings/${meeting}`,
      `/objects/${other}/records/${otherRecord}`,
      `/objects/${other}/attributes`,
      `/objects/${other}/attributes/only`,
      `/objects/people/records/${person}`,
      `/objects/people/attributes/${slug}_owned`,
    ],
  }
}

const REFERENCE = {
  description: null,
  type: 'record-reference',
  is_required: false,
  is_unique: false,
  is_multiselect: false,
  config: {},
}
