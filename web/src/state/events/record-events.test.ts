import { expect, test } from 'bun:test'
import { mayConcernRecord } from './record-events'

test.each([
  ['a changed value', { event_type: 'record.updated', id: { record_id: 'a' } }, true],
  ['a value of another record', { event_type: 'record.updated', id: { record_id: 'b' } }, false],
  ['a merge into it', { event_type: 'record.merged', id: { record_id: 'a' }, duplicate_record_id: 'b' }, true],
  ['an entry', { event_type: 'list-entry.created', id: { entry_id: 'e' }, parent_record_id: 'a' }, true],
  [
    'an entry of another record',
    { event_type: 'list-entry.created', id: { entry_id: 'e' }, parent_record_id: 'b' },
    false,
  ],
  ['a note', { event_type: 'note.created', id: { note_id: 'n' }, parent_record_id: 'a' }, true],
  ['a comment', { event_type: 'comment.created', id: { comment_id: 'c' }, record_id: 'a', list_id: null }, true],
  ['any record of an activity', { event_type: 'activity-record.created', id: { record_id: 'c' } }, true],
  ['any task', { event_type: 'task.updated', id: { task_id: 't' } }, true],
  ['a changed list', { event_type: 'list.updated', id: { list_id: 'l' } }, false],
])('%s', (_, event, isConcerned) => {
  expect(mayConcernRecord(event, 'a')).toBe(isConcerned)
})
