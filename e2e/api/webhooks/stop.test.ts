/** A service that stops during delivery records the running attempts. Open streams do not delay it. */

import { expect, test } from 'bun:test'
import { forThisFile } from '../../support/service/service-per-file'
import { until } from '../../support/until'
import { startFixture } from './fixture'
import { numbered } from './lost-nothing'
import { answer, listIdOf, startReceiver } from './receivers'

const fixture = forThisFile(() => startFixture())

test('running attempts are finished and recorded; the next start sends the others', async () => {
  const asked = Promise.withResolvers<void>()
  const goOn = Promise.withResolvers<void>()
  const receiver = await startReceiver(async (socket, _, count) => {
    if (count === 3) {
      asked.resolve()
      await goOn.promise
    }
    answer(socket, 200)
  })
  const { id } = await fixture().webhook(`http://127.0.0.1:${receiver.port}/hook`)
  const stream = await fetch(`${fixture().running.url}/v2/webhooks/${id}/stream`, {
    headers: { Authorization: `Bearer ${fixture().key}` },
  })
  const told = listenTo(stream)
  const ids = numbered('s', 10)
  await fixture().happen(ids)
  await asked.promise
  await until(() => told.text.includes('event: delivery'))
  const stopping = fixture().running.stop()
  await until(() => fixture().running.output().includes('Stopping'))
  goOn.resolve()
  expect(await stopping).toBe(0)
  expect(fixture().running.output()).not.toContain('cut off')
  await told.ended
  const recorded = await fixture().reader`
    select d.status, d.attempts, w.leased_by from relata.deliveries d join relata.webhooks w on w.id = d.webhook_id order by d.position`
  expect(recorded.map(({ status, attempts }) => [status, attempts])).toEqual(
    ids.map((_, index) => (index < receiver.received.length ? ['succeeded', 1] : ['waiting', 0])),
  )
  expect(recorded[0]?.leased_by).toBeNull()

  await fixture().restart()
  await until(() => receiver.received.length === ids.length)
  expect(receiver.received.map(listIdOf)).toEqual(ids)
  receiver.close()
})

/** Collects the text of a stream. */
function listenTo(stream: Response): { text: string; ended: Promise<void> } {
  const told = { text: '', ended: Promise.resolve() }
  const read = async () => {
    const decoder = new TextDecoder()
    for await (const chunk of stream.body ?? []) told.text += decoder.decode(chunk, { stream: true })
  }
  told.ended = read()
  return told
}
