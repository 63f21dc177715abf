/** From "Add account" to the emails of a person, on a service of its own that may connect to the email server of the test. */

import { freshDatabase } from '../../../support/service/database'
import { type ImapServer, startImapServer } from '../../../support/imap-server'
import { startProcess } from '../../../support/service/start'
import { expectAccessible } from '../../support/accessible'
import { ADMIN, consoleOf, expect, signIn, testSignedOut } from '../../support/journey'

const test = testSignedOut.extend<{ server: ImapServer }>({
  // Playwright reads the used fixtures from the first parameter.
  // oxlint-disable-next-line no-empty-pattern
  baseURL: async ({}, use) => {
    const database = await freshDatabase()
    const service = await startProcess({
      DATABASE_URL: database.url,
      RELATA_ALLOW_PRIVATE_TARGETS: '1',
      RELATA_ADMIN_EMAIL: ADMIN.email,
      RELATA_ADMIN_PASSWORD: ADMIN.password,
    })
    await use(service.url)
    await service.stop()
    await database.drop()
  },
  // oxlint-disable-next-line no-empty-pattern
  server: async ({}, use) => {
    const server = startImapServer()
    await use(server)
    server.stop()
  },
})

const message = (subject: string) =>
  [
    'From: Grace Hopper <grace@navy.mil>',
    'To: ada@lovelace.invalid',
    `Subject: ${subject}`,
    `Date: ${new Date().toUTCString()}`,
    `Message-ID: <${crypto.randomUUID()}@navy.mil>`,
    '',
    'body',
  ].join('\r\n')

test('an account is connected, its emails appear with the person, and it is removed with them', async ({
  page,
  server,
}) => {
  server.add('INBOX', message('Notes on compilers'))
  server.add('INBOX', 'Subject: broken\r\n\r\n')
  await page.goto('/')
  await signIn(page, ADMIN.email, ADMIN.password)
  await expect(page.getByRole('navigation', { name: 'Workspace' })).toBeVisible()
  const { v2 } = await consoleOf(page.request)
  const values = { name: 'Hopper, Grace', email_addresses: ['grace@navy.mil'] }
  const person = (await v2('POST', '/objects/people/records', { data: { values } })).body.data.id.record_id

  await page.goto('/settings/account')
  await page.getByRole('link', { name: 'Email and calendar accounts', exact: true }).click()
  await expect(page.getByText('No accounts yet')).toBeVisible()
  await page.getByRole('button', { name: 'Add account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add account' })
  await dialog.getByLabel('Email address').fill('ada@lovelace.invalid')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByLabel('IMAP server').fill('127.0.0.1')
  await dialog.getByLabel('Port').fill(String(server.port))
  await dialog.getByLabel('Encryption').selectOption('none')
  await dialog.getByLabel('Password').fill('wrong')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await expect(dialog.getByRole('alert')).toContainText('It said: Wrong user or password.')
  await dialog.getByLabel('Password').fill('secret')
  await dialog.getByRole('button', { name: 'Connect' }).click()

  const row = page
    .getByRole('list', { name: 'Accounts' })
    .getByRole('listitem')
    .filter({ hasText: 'ada@lovelace.invalid' })
  await expect(row).toContainText('Up to date')
  await expect(row).toContainText('1 email stored')
  await row.getByText('1 message was skipped').click()
  await expect(row).toContainText('It has no sender')
  await expectAccessible(page)

  await page.goto(`/objects/people/${person}`)
  await page.getByRole('tab', { name: 'Activity' }).click()
  await expect(page.getByText('Notes on compilers')).toBeVisible()
  server.add('INBOX', message('Notes on subroutines'))
  await expect(async () => {
    await page.reload()
    await page.getByRole('tab', { name: 'Activity' }).click()
    await expect(page.getByText('Notes on subroutines')).toBeVisible({ timeout: 5_000 })
  }).toPass()

  await page.goto('/settings/connected-accounts')
  await page.getByLabel('Addresses and domains').fill('navy.mil\n')
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('Exclusions saved')).toBeVisible()
  await expect(row).toContainText('0 emails stored')

  await page.getByRole('button', { name: 'Actions for ada@lovelace.invalid' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit ada@lovelace.invalid' })
  await edit.getByLabel('Colleagues see').selectOption('nothing')
  await edit.getByLabel('Projects').check()
  await expectAccessible(page)
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(row).toContainText('Colleagues see: nothing')

  await page.getByRole('button', { name: 'Actions for ada@lovelace.invalid' }).click()
  await page.getByRole('menuitem', { name: 'Remove' }).click()
  await page
    .getByRole('dialog', { name: 'Remove ada@lovelace.invalid?' })
    .getByRole('button', { name: 'Remove account' })
    .click()
  await expect(page.getByText('No accounts yet')).toBeVisible()
})
