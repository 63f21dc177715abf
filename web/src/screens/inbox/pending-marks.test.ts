import { expect, test } from 'bun:test'
import type { InboxPage } from '../../api/inbox/inbox'
import { PendingMarks } from './pending-marks'

const page = (...ids: string[]) =>
  ({
    data: ids.map((id) => ({ id, read_at: null })),
    pagination: { next_cursor: null },
    unread_count: 0,
  }) as unknown as InboxPage // the members that marks read
const readIn = ({ data }: InboxPage) => data.filter(({ read_at }) => read_at !== null).map(({ id }) => id)

test('a page that was read before a mark shows the mark until the mark ends', () => {
  const marks = new PendingMarks()
  const stale = page('3', '2', '1')
  const endOne = marks.add(({ id }) => id === '2')
  const endAll = marks.add(({ id }) => id <= '1')
  expect(readIn(marks.apply(stale))).toEqual(['2', '1'])
  endOne()
  expect(readIn(marks.apply(stale))).toEqual(['1'])
  endAll()
  expect(readIn(marks.apply(stale))).toEqual([])
})

test('a mark keeps the time at which a notification was read, and leaves newer ones unread', () => {
  const marks = new PendingMarks()
  marks.add(({ id }) => id <= '2')
  const before = page('3', '2')
  const read = { ...before, data: before.data.map((one) => (one.id === '2' ? { ...one, read_at: 'earlier' } : one)) }
  expect(marks.apply(read).data.map(({ read_at }) => read_at)).toEqual([null, 'earlier'])
})
