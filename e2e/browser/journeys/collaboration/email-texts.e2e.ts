/** An admin has the texts of emails stored, and a member reads one on the page of a person. The journey starts a service that may connect to its email server. */

import { accountOn, type ImapServer, startImapServer } from '../../../support/imap-server'
import { expectAccessible } from '../../support/accessible'
import { ADMIN, consoleOf, expect, signIn } from '../../support/journey'
import { serverFixture, testOnOwnService } from '../../support/own-service'
import { joinAs } from '../../support/second-member'

const test = testOnOwnService({ RELATA_ALLOW_PRIVATE_TARGETS: '1' }).extend<{ server: ImapServer }>({
  server: serverFixture(startImapServer),
})

const MESSAGE = [
  'From: Grace Hopper <grace@navy.mil>',
  'To: ada@lovelace.org',
  'Subject: Notes on compilers',
  `Date: ${new Date().toUTCString()}`,
  'Message-ID: <compilers@navy.mil>',
  'Content-Type: multipart/mixed; boundary="parts"',
  '',
  '--parts',
  'Content-Type: text/html; charset="utf-8"',
  '',
  '<p>Dear Ada,</p><p>one pass is <b>enough</b>.</p><script>alert(1)</script>',
  '--parts',
  'Content-Type: application/pdf; name="compilers.pdf"',
  'Content-Transfer-Encoding: base64',
  'Content-Disposition: attachment; filename="compilers.pdf"',
  '',
  'A'.repeat(7_800),
  '--parts--',
].join('\r\n')

test('an admin has texts stored, the member and a colleague read one, and the colleague does not when it is not shared', async ({
  page,
  browser,
  baseURL,
  server,
}) => {
  server.add('INBOX', MESSAGE)
  await page.goto('/')
  await signIn(page, ADMIN.email, ADMIN.password)
  await expect(page.getByRole('navigation', { name: 'Workspace' })).toBeVisible()
  const own = await consoleOf(page.request)
  const values = { name: 'Hopper, Grace', email_addresses: ['grace@navy.mil'] }
  const person = (await own.create('/objects/people/records', { values })).id.record_id
  const { body: connected } = await own.settings('POST', '/connected-accounts', accountOn(server))
  const colleague = await joinAs(browser, own, { first_name: 'Charles', last_name: 'Babbage' }, baseURL)
  const theirs = await colleague.context.newPage()

  await page.goto('/settings/connected-accounts')
  const row = page.getByRole('list', { name: 'Accounts' }).getByRole('listitem')
  await expect(row).toContainText('Up to date')
  await expect(row).toContainText('Colleagues see: participants, time and subject')
  await page.getByRole('button', { name: 'Store texts…' }).click()
  const question = page.getByRole('dialog', { name: 'Store the texts of emails?' })
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Store texts' }).click()
  await expect(page.getByText('This workspace stores the texts of emails')).toBeVisible()
  await expect(row).toContainText('Colleagues see: participants, time, subject and text')
  await expectAccessible(page)

  await page.goto(`/objects/people/${person}`)
  const item = page.getByRole('listitem').filter({ hasText: 'Notes on compilers' })
  await expect(async () => {
    await page.reload()
    await page.getByRole('tab', { name: 'Activity' }).click()
    await expect(item.getByRole('button', { name: 'Show text' })).toBeVisible({ timeout: 5_000 })
  }).toPass()
  await item.getByRole('button', { name: 'Show text' }).click()
  await expect(item.getByText('one pass is enough.')).toBeVisible()
  await expect(item).not.toContainText('alert')
  await expect(item.getByRole('list', { name: 'Attachments' })).toContainText('compilers.pdf')
  await expectAccessible(page)
  await item.getByRole('button', { name: 'Hide text' }).click()
  await expect(item.getByText('one pass is enough.')).toHaveCount(0)

  const theirItem = theirs.getByRole('listitem').filter({ hasText: 'received an email from grace@navy.mil' })
  await theirs.goto('/settings/connected-accounts')
  await expect(theirs.getByText('This workspace stores the texts of emails')).toBeVisible()
  await expect(theirs.getByRole('button', { name: 'Delete texts…' })).toHaveCount(0)
  await theirs.goto(`/objects/people/${person}`)
  await theirs.getByRole('tab', { name: 'Activity' }).click()
  await theirItem.getByRole('button', { name: 'Show text' }).click()
  await expect(theirItem.getByText('one pass is enough.')).toBeVisible()
  await own.settings('PATCH', `/connected-accounts/${connected.data.id}`, { sharing: 'exchange' })
  await theirs.reload()
  await theirs.getByRole('tab', { name: 'Activity' }).click()
  await expect(theirItem.getByText('No subject')).toBeVisible()
  await expect(theirItem.getByRole('button', { name: 'Show text' })).toHaveCount(0)
  await colleague.context.close()

  await page.goto('/settings/connected-accounts')
  await page.getByRole('button', { name: 'Delete texts…' }).click()
  await page
    .getByRole('dialog', { name: 'Delete the texts of emails?' })
    .getByRole('button', { name: 'Delete texts' })
    .click()
  await expect(page.getByText('not their texts')).toBeVisible()
  await page.goto(`/objects/people/${person}`)
  await page.getByRole('tab', { name: 'Activity' }).click()
  await expect(item).toBeVisible()
  await expect(item.getByRole('button', { name: 'Show text' })).toHaveCount(0)
})
