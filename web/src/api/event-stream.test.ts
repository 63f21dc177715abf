import { expect, test } from 'bun:test'
import { parseMessage, type StreamMessage } from './event-stream'

const CASES: [block: string, message: StreamMessage | undefined][] = [
  [':', undefined],
  ['', undefined],
  ['id: 1\nevent: delivery\ndata: {"a": 1}', { id: '1', event: 'delivery', data: '{"a": 1}' }],
  ['data: one\ndata:two', { id: undefined, event: 'message', data: 'one\ntwo' }],
  ['data: a: b', { id: undefined, event: 'message', data: 'a: b' }],
  [': comment\ndata: x', { id: undefined, event: 'message', data: 'x' }],
]

test.each(CASES)('%j', (block, message) => {
  expect(parseMessage(block)).toEqual(message)
})
