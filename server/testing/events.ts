/** Renders events as short lines for tests: `record.updated ada.company by system`. */

import { publishBatch } from '#events/feed/publish'
import { type EventPipeline, runEventPipeline } from '#events/webhooks/event-pipeline'
import type { Send } from '#events/webhooks/send/send-request'
import type { ChangeEventBody } from '#vocabulary/event-types'
import { checkEvent } from './contract'
import type { TestService } from './service'

/** Publishes the events of all outboxes. `onPublish` gets those of each batch. */
export async function publishAll(
  { db, appContext }: Pick<TestService, 'db' | 'appContext'>,
  onPublish: Parameters<typeof publishBatch>[2] = async () => {},
): Promise<void> {
  while ((await publishBatch(db, appContext.now, onPublish)) > 0);
}

/** Runs the event pipeline of a service until the service is closed. Webhooks get their deliveries by `send`. */
export async function startEventPipeline(
  service: TestService,
  send: Send = () => Promise.reject(new Error('There is no webhook.')),
): Promise<EventPipeline> {
  const { db, appContext, close } = service
  const sending = { send, brand: 'relata', docsUrl: 'http://localhost', perSecond: 0 }
  const events = await runEventPipeline({ db, now: appContext.now, sending, days: 30 })
  Object.assign(appContext, { events })
  service.close = async () => {
    await events.stop()
    await close()
  }
  return events
}

/** The names of ids in the lines. An id without a name appears unchanged. */
export type Names = Readonly<Record<string, string>>

/** Returns the events since the last call, and validates each against the contract. */
export async function eventLines(service: TestService, names: Names): Promise<string[]> {
  const events = await service.events()
  events.forEach(checkEvent)
  const slugs = await slugsOf(service)
  const nameOf = (id: unknown) => names[String(id)] ?? slugs.get(String(id)) ?? String(id)
  return events.map((event) => describeScopes(event, nameOf))
}

function describeScopes(
  { event_type, id, actor, ...members }: ChangeEventBody,
  nameOf: (id: unknown) => string,
): string {
  const { workspace_id: _workspace, attribute_id, object_id, list_id, ...own } = id
  const subject = Object.values(own)[0] ?? list_id ?? object_id
  const attribute = attribute_id === undefined ? '' : `.${nameOf(attribute_id)}`
  const of = Object.entries(members)
    .filter(([name]) => name.endsWith('record_id'))
    .map(([, value]) => ` of ${nameOf(value)}`)
  return `${event_type} ${nameOf(subject)}${attribute}${of.join('')} by ${actor.type}`
}

async function slugsOf({ appContext, workspaceId }: TestService): Promise<Map<string, string>> {
  const { entityTypes } = await appContext.models.reload(workspaceId)
  const named = [...entityTypes, ...entityTypes.flatMap(({ attributes }) => attributes)]
  return new Map(named.map(({ id, api_slug }) => [id, api_slug]))
}
