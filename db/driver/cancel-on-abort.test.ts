/** A query whose caller has gone. */

import { expect, test } from 'bun:test'
import { until } from '#testing/until'
import { cancelOnAbort } from './cancel-on-abort'

test('sends the cancellation after the query, and again until the query ends', async () => {
  let sent = 0
  const query = { state: null as object | null, cancel() {}, canceller: async () => void (sent += 1) }
  const caller = new AbortController()
  const stopListening = cancelOnAbort(query, caller.signal)
  caller.abort()
  await Bun.sleep(0)
  expect(sent).toBe(0)
  query.state = {}
  await until(() => sent === 3)
  stopListening()
})
