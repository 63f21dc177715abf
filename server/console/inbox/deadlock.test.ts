/** A member marks notifications as read while PostgreSQL ends the statement because of a deadlock. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { commentClient, onRecord } from '../../testing/comments'
import { listClient } from '../../testing/lists'
import { type Person, signedIn } from '../../testing/people'
import { testService, type TestService } from '../../testing/service'

let service: TestService
let bob: Person
let inbox: string
beforeAll(async () => {
  service = await testService()
  bob = await signedIn(service, { [service.workspaceId]: 'member' })
  await service.appContext.models.reload(service.workspaceId)
  inbox = `/console/api/workspaces/${service.workspaceId}/inbox`
  await commentClient(service).comment(onRecord(await listClient(service).record()), { content: bob.email_address })
})
afterAll(() => service.close())

/** The first update of a row of the table fails as in a deadlock. A sequence keeps its number when a transaction ends. */
async function failOnce(table: string): Promise<void> {
  const name = `updates_of_${table}`
  await service.db.sql.unsafe(`
    create sequence ${name};
    create function ${name}() returns trigger language plpgsql as $$
    begin
      if nextval('${name}') = 1 then raise exception using errcode = '40P01', message = 'deadlock'; end if;
      return new;
    end $$;
    create trigger ${name} before update on relata.${table} for each row execute function ${name}();`)
}

test('200 for all notifications', async () => {
  await failOnce('notifications')
  const { status, body } = await bob.ask('POST', `${inbox}/read`, {})
  expect([status, body.data.unread_count]).toEqual([200, 0])
})

test('200 for the setting of digests', async () => {
  await failOnce('inboxes')
  const { status, body } = await bob.ask('PATCH', `${inbox}/settings`, { email_digest: false })
  expect([status, body.data.email_digest]).toEqual([200, false])
})
