import { expect, test } from 'bun:test'
import { ChangeBatch } from './change-batch'
import type { ChangeEvent } from './change-events'

const PEOPLE = 'people'

const recordEvent = (what: string, record_id: string, attribute_id?: string): ChangeEvent => ({
  event_type: `record.${what}`,
  id: { object_id: PEOPLE, record_id, ...(attribute_id === undefined ? {} : { attribute_id }) },
})

const merged = (record_id: string, duplicate_record_id: string) => ({
  ...recordEvent('merged', record_id),
  duplicate_record_id,
})

function changesOf(events: readonly ChangeEvent[], entityTypeId = PEOPLE) {
  const batch = new ChangeBatch(entityTypeId)
  for (const event of events) batch.add(event)
  const { created, updated, deleted } = batch.changes()
  const attributes = [...updated].map(([id, attributeIds]) => [id, [...attributeIds]])
  return { created: [...created], updated: Object.fromEntries(attributes), deleted: [...deleted] }
}

test('an update names the changed attributes of a record', () => {
  const events = [recordEvent('updated', 'ada', 'name'), recordEvent('updated', 'ada', 'email')]
  expect(changesOf(events)).toEqual({ created: [], updated: { ada: ['name', 'email'] }, deleted: [] })
})

test('a created record that is updated in the same batch is only created, a deleted one only deleted', () => {
  const events = [
    recordEvent('created', 'ada'),
    recordEvent('updated', 'ada', 'name'),
    recordEvent('created', 'bob'),
    recordEvent('deleted', 'bob'),
  ]
  expect(changesOf(events)).toEqual({ created: ['ada'], updated: {}, deleted: ['bob'] })
})

test('the last event of a record decides: a restored record is created, also when it was updated since', () => {
  const events = [
    recordEvent('deleted', 'ada'),
    recordEvent('created', 'ada'),
    recordEvent('updated', 'ada', 'name'),
    recordEvent('created', 'bob'),
    recordEvent('deleted', 'bob'),
    recordEvent('created', 'bob'),
    recordEvent('deleted', 'bob'),
  ]
  expect(changesOf(events)).toEqual({ created: ['ada'], updated: {}, deleted: ['bob'] })
})

test('a merge creates the new record and deletes both originals', () => {
  const events = [merged('new', 'ada'), merged('new', 'double')]
  expect(changesOf(events)).toEqual({ created: ['new'], updated: {}, deleted: ['ada', 'double'] })
})

test('an original that changed in the same batch is deleted', () => {
  const events = [recordEvent('updated', 'ada', 'name'), merged('new', 'ada'), merged('new', 'double')]
  expect(changesOf(events)).toEqual({ created: ['new'], updated: {}, deleted: ['ada', 'double'] })
})

test('events of entries belong to their list', () => {
  const event = { event_type: 'list-entry.deleted', id: { list_id: 'customers', entry_id: 'entry' } }
  expect(changesOf([event], 'customers')).toEqual({ created: [], updated: {}, deleted: ['entry'] })
})

test('the batch takes no event of another object or of neither records nor entries', () => {
  const batch = new ChangeBatch('companies')
  const list = { event_type: 'list.updated', id: { list_id: 'companies' } }
  expect([batch.add(merged('new', 'ada')), batch.add(list), batch.size]).toEqual([false, false, 0])
})

test('records of an activity belong to the activity', () => {
  const event = (what: string, activity_id: string, record_id: string): ChangeEvent => ({
    event_type: `activity-record.${what}`,
    id: { activity_id, record_id, attribute_id: 'note' },
  })
  const events = [
    event('created', 'calls', 'one'),
    event('updated', 'calls', 'two'),
    event('deleted', 'visits', 'three'),
  ]
  expect(changesOf(events, 'calls')).toEqual({ created: ['one'], updated: { two: ['note'] }, deleted: [] })
})
