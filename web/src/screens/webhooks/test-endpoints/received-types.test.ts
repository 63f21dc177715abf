import { expect, test } from 'bun:test'
import { receivedTypes } from './received-types'

const body = (...types: unknown[]) =>
  JSON.stringify({ webhook_id: 'w', events: types.map((event_type) => ({ event_type })) })

test.each([
  [body('record.created'), 'record.created'],
  [body('record.created', 'record.created', 'record.updated'), 'record.created, record.updated'],
  [body(7, null), undefined],
  [body(), undefined],
  ['{"events": {}}', undefined],
  ['{"events": [null, 1]}', undefined],
  ['null', undefined],
  ['[]', undefined],
  ['', undefined],
  ['event=1', undefined],
])('%s has the types %p', (text, types) => {
  expect(receivedTypes(text)).toBe(types)
})
