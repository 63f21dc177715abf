/** From "Add account" to the emails of a person, on a service of its own that may connect to the email server of the test. */

import { type ImapServer, startImapServer } from '../../../support/imap-server'
import { type SmtpServer, startSmtpServer } from '../../../support/smtp-server'
import { expectAccessible } from '../../support/accessible'
import { ADMIN, consoleOf, expect, signIn } from '../../support/journey'
import { openWithPerson, serverFixture, testOnOwnService } from '../../support/own-service'

const test = testOnOwnService({
  RELATA_ALLOW_PRIVATE_TARGETS: '1',
  RELATA_GOOGLE_CLIENT_ID: 'relata',
  RELATA_GOOGLE_CLIENT_SECRET: 'secret',
}).extend<{ server: ImapServer; sending: SmtpServer }>({
  server: serverFixture(startImapServer),
  sending: serverFixture(startSmtpServer),
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
  const person = await openWithPerson(page)

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

test('an email is sent from a person and answered, and one that the server refuses keeps its text', async ({
  page,
  server,
  sending,
}) => {
  server.add('INBOX', message('Notes on compilers'))
  const person = await openWithPerson(page)
  await page.goto(`/objects/people/${person}`)
  await page.getByRole('button', { name: 'Email…' }).click()
  await page.getByRole('dialog').getByRole('link', { name: 'Email and calendar accounts' }).click()

  await page.getByRole('button', { name: 'Add account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add account' })
  await dialog.getByLabel('Email address').fill('ada@lovelace.invalid')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByLabel('IMAP server').fill('127.0.0.1')
  await dialog.getByLabel('Port', { exact: true }).fill(String(server.port))
  await dialog.getByLabel('Encryption', { exact: true }).selectOption('none')
  await dialog.getByLabel('Password').fill('secret')
  await dialog.getByLabel('Send email from this account').check()
  await dialog.getByLabel('SMTP server').fill('127.0.0.1')
  await dialog.getByLabel('SMTP port').fill('1')
  await dialog.getByLabel('SMTP encryption').selectOption('none')
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await expect(dialog.getByRole('alert')).toContainText('No email can be sent. The server does not accept connections')
  await expectAccessible(page)
  await dialog.getByLabel('SMTP port').fill(String(sending.port))
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await expect(page.getByRole('list', { name: 'Accounts' })).toContainText('1 email stored')

  await page.getByRole('link', { name: 'Email templates' }).click()
  await page.getByRole('button', { name: 'New template' }).click()
  const template = page.getByRole('dialog', { name: 'New template' })
  await template.getByLabel('Name').fill('First contact')
  await template.getByLabel('Subject').fill('Subroutines')
  await template.getByRole('textbox', { name: 'Text' }).fill('Dear {{frist_name}}')
  await expectAccessible(page)
  await template.getByRole('button', { name: 'Create' }).click()
  await expect(template.getByText('did you mean "first_name"?')).toBeVisible()
  await template.getByRole('textbox', { name: 'Text' }).fill('Dear ')
  await template.getByRole('button', { name: 'Insert variable' }).click()
  await page.getByRole('menuitem', { name: 'first_name' }).click()
  await template.getByRole('button', { name: 'Create' }).click()
  await expect(page.getByRole('list', { name: 'Templates' })).toContainText('First contact')

  await page.goto(`/objects/people/${person}`)
  await page.getByRole('button', { name: 'Email…' }).click()
  const email = page.getByRole('dialog', { name: 'New email' })
  await expect(email.getByLabel('To')).toHaveValue('grace@navy.mil')
  await email.getByLabel('Template').selectOption('First contact')
  await expect(email.getByLabel('Text')).toHaveValue('Dear Grace')
  await expect(email.getByLabel('Subject')).toHaveValue('Subroutines')
  await expectAccessible(page)
  sending.answer = '554 Looks like spam'
  await email.getByRole('button', { name: 'Send' }).click()
  await expect(email.getByRole('alert')).toContainText('It said: 554 Looks like spam')
  sending.answer = '250 Accepted'
  await email.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Email sent')).toBeVisible()
  expect(sending.accepted.map(({ to }) => to)).toEqual([['grace@navy.mil']])

  await page.getByRole('tab', { name: 'Activity' }).click()
  const received = page.getByRole('listitem').filter({ hasText: 'Notes on compilers' })
  await expect(page.getByText('Subroutines')).toBeVisible()
  await received.getByRole('button', { name: 'Reply…' }).click()
  const reply = page.getByRole('dialog', { name: 'Reply' })
  await expect(reply.getByLabel('Subject')).toHaveValue('Re: Notes on compilers')
  await reply.getByLabel('Text').fill('Thank you.')
  await reply.getByRole('button', { name: 'Send' }).click()
  await expect(reply).toHaveCount(0)
  expect(sending.accepted[1]?.text).toContain('In-Reply-To: <')

  const { v2 } = await consoleOf(page.request)
  const univac = (await v2('POST', '/objects/companies/records', { data: { values: { name: 'Univac' } } })).body.data.id
  await page.goto(`/objects/companies/${univac.record_id}`)
  await page.getByRole('button', { name: 'Email…' }).click()
  await email.getByLabel('To').fill('grace@navy.mil')
  await email.getByLabel('Subject').fill('About Univac')
  await email.getByLabel('Text').fill('Dear Grace')
  await email.getByRole('button', { name: 'Send' }).click()
  await expect(email).toHaveCount(0)
  await page.getByRole('tab', { name: 'Activity' }).click()
  await expect(page.getByText('About Univac')).toBeVisible()

  const note = { parent_object: 'people', parent_record_id: person, title: 'Compilers', format: 'plaintext' }
  const { note_id } = (await v2('POST', '/notes', { data: { ...note, content: 'One pass' } })).body.data.id
  await page.goto(`/notes/${note_id}`)
  await page.getByRole('button', { name: 'Actions for this note' }).click()
  await page.getByRole('menuitem', { name: 'Email…' }).click()
  await expect(email.getByLabel('To')).toHaveValue('grace@navy.mil')
  await expect(email.getByLabel('Subject')).toHaveValue('Compilers')
  await expect(email.getByLabel('Text')).toHaveValue('One pass')
  await email.getByRole('button', { name: 'Cancel' }).click()

  const linked_records = [{ target_object: 'people', target_record_id: person }]
  const task = { content: 'Answer Grace', format: 'plaintext', deadline_at: null, is_completed: false, assignees: [] }
  await v2('POST', '/tasks', { data: { ...task, linked_records } })
  await page.goto(`/objects/people/${person}?tab=tasks`)
  await page.getByRole('button', { name: 'Actions for “Answer Grace”' }).click()
  await page.getByRole('menuitem', { name: 'Email…' }).click()
  await expect(email.getByLabel('To')).toHaveValue('grace@navy.mil')
  await email.getByRole('button', { name: 'Cancel' }).click()

  sending.password = 'changed'
  await page.getByRole('button', { name: 'Email…' }).click()
  await email.getByLabel('Subject').fill('Waits')
  await email.getByLabel('Text').fill('Later')
  await email.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByText('Not sent yet')).toBeVisible()
  await page.goto('/settings/connected-accounts')
  const unsent = page.getByRole('list', { name: 'Emails that were not sent' }).getByRole('listitem')
  await expect(unsent).toContainText('Waiting')
  await expectAccessible(page)
  await unsent.getByRole('button', { name: 'Delete “Waits”' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete email' }).click()
  await expect(unsent).toHaveCount(0)
})

test('a member signs in at a provider, and one who does not consent gets its words', async ({ page }) => {
  let asked: URL | undefined
  await page.route('https://accounts.google.com/**', (route) => {
    asked = new URL(route.request().url())
    const query = { error: 'access_denied', error_description: 'No', state: asked.searchParams.get('state') ?? '' }
    const { pathname } = new URL(asked.searchParams.get('redirect_uri') ?? '')
    const back = `${new URL(page.url()).origin}${pathname}?${new URLSearchParams(query)}`
    return route.fulfill({ contentType: 'text/html', body: `<a href="${back.replaceAll('&', '&amp;')}">Cancel</a>` })
  })
  await page.goto('/')
  await signIn(page, ADMIN.email, ADMIN.password)
  await expect(page.getByRole('navigation', { name: 'Workspace' })).toBeVisible()
  await page.goto('/settings/connected-accounts')
  await page.getByRole('button', { name: 'Add account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add account' })
  await dialog.getByLabel('Email address').fill('ada@gmail.com')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await dialog.getByLabel('Use a password').check()
  await expect(dialog.getByLabel('Password', { exact: true })).toBeVisible()
  await dialog.getByLabel('Use a password').uncheck()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Sign in with Google' }).click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await expect(page.getByText("The account isn't connected")).toBeVisible()
  await expect(page.getByText('It said: access_denied: No')).toBeVisible()
  expect(asked?.searchParams.get('login_hint')).toBe('ada@gmail.com')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Back to accounts' }).click()
  await expect(page.getByText('No accounts yet')).toBeVisible()

  await page.getByRole('button', { name: 'Add account' }).click()
  await dialog.getByRole('radio', { name: 'Calendars' }).check()
  await dialog.getByLabel('Email address').fill('ada@gmail.com')
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByLabel('Password')).toHaveCount(0)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Sign in with Google' }).click()
  await expect(page.getByRole('link', { name: 'Cancel' })).toBeVisible()
  expect(asked?.searchParams.get('scope')).toBe('https://www.googleapis.com/auth/calendar.readonly')
})
