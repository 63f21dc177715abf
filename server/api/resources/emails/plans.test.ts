/** Each list of emails reads ranges of indexes in their order. See docs/reference/emails.md (Filters). */

import { beforeAll, expect, test } from 'bun:test'
import { seedEmails } from '#testing/emails'
import { plansOf } from '#testing/plans'
import { addSendingAccount } from '#testing/sending-account'
import { useTestService } from '#testing/use-service'

const EMAILS = 40_000
const LINKS = 20_000

const service = useTestService()
let person: string
beforeAll(async () => {
  await seedEmails(service, EMAILS)
  const values = { email_addresses: ['ada@relata.dev'] }
  const { body } = await service.request('POST', '/v2/objects/people/records', { data: { values } })
  person = body.data.id.record_id
  const account = await addSendingAccount(service, service.member.id)
  await service.db.sql`
    insert into relata.email_links (workspace_id, account_id, message_key, object_id, record_id, linked_at)
    select ${service.workspaceId}, ${account}, n, ${body.data.id.object_id}, gen_random_uuid(), now() from generate_series(1, ${LINKS}) n`
  await service.db.sql.unsafe('analyze relata.email_links, relata.connected_accounts, relata.mailboxes')
})

const TIMES = '&sent_after=2020-01-02&sent_before=2020-01-20'

const LISTS: readonly (readonly [string, () => string, string[]])[] = [
  ['all', () => '', ['emails_sent']],
  [
    'a person',
    () => `linked_object=people&linked_record_ids=${person}`,
    [
      'email_addresses_pkey',
      'email_links_record',
      'mailboxes_of_accounts',
      'emails_workspace_id_mailbox_id_message_key_key',
    ],
  ],
  ['participants', () => 'participants=ada@relata.dev,a7@example7.com', ['email_addresses_pkey']],
  ['a domain', () => 'domain=relata.dev', ['email_domains_pkey']],
  ['both', () => 'domain=example7.com&participants=ada@relata.dev', ['email_addresses_pkey', 'email_domains_pkey']],
]

test.each(LISTS)('a page of %s', async (_name, query, indexes) => {
  const first = await service.request('GET', `/v2/emails?limit=20&${query()}`)
  const cursor = encodeURIComponent(first.body.pagination.next_cursor)
  for (const parameters of [query(), `${query()}${TIMES}`]) {
    const next = parameters === query() ? `&cursor=${cursor}` : ''
    const plans = await plansOf(service, async () => {
      const { status, body } = await service.request('GET', `/v2/emails?limit=20&${parameters}${next}`)
      expect([parameters, status, body.data.length]).toEqual([parameters, 200, 20])
    })
    const plan = plans.find((each) => each.includes('on emails')) ?? ''
    const used = [...plan.matchAll(/(Seq Scan|Bitmap|Index (?:Only )?Scan(?: Backward)?) (?:using (\w+))?/g)]
    const names = used
      .map(([, scan, index]) => index ?? scan)
      .filter((name) => !/^(?:connected_accounts|emails|mailboxes)_pkey$/.test(name ?? ''))
    expect([parameters, new Set(names)]).toEqual([parameters, new Set(indexes)])
  }
})

test('the activity of a person looks up the texts of its page only', async () => {
  const { db, workspaceId } = service
  await db.sql`update relata.workspaces set stores_email_texts = true`
  await db.sql`insert into relata.email_texts (workspace_id, email_id, mailbox_id, sent_at, read_at, text)
    select workspace_id, id, mailbox_id, sent_at, sent_at, 'text' from relata.emails`
  await db.sql.unsafe('analyze relata.email_texts')
  await service.appContext.models.reload(workspaceId)
  const plans = await plansOf(service, async () => {
    const { status, body } = await service.request(
      'GET',
      `/v2/objects/people/records/${person}/activity?type=email.sent`,
    )
    expect([status, body.data[0].email.has_text]).toEqual([200, false])
  })
  const plan = plans.find((each) => each.includes('on email_texts')) ?? ''
  expect(plan).toContain('email_texts_pkey')
  expect(plan).not.toMatch(/Seq Scan|Hash/)
})
