/** The import of email and calendar files: several files, their counts and problems, and the mailbox of another member. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'
import { joinAs } from '../../support/second-member'

interface ChosenFile {
  readonly name: string
  readonly text: string
}

const choose = (page: Page, files: readonly ChosenFile[]) =>
  page
    .getByLabel('Choose files')
    .setInputFiles(files.map(({ name, text }) => ({ name, mimeType: '', buffer: Buffer.from(text) })))

const rowOf = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Files' }).getByRole('listitem').filter({ hasText: name })

const message = (sender: string, id: string) =>
  `From: ${sender}\nTo: someone@${id}.org\nDate: Thu, 1 Jan 2026 00:00:00 +0000\nMessage-ID: <1@${id}>\n\nbody\n`

const separated = (text: string) => `From x@y.org Thu Jan  1 00:00:00 2026\n${text}\n`

const calendar = (uid: string) =>
  `BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:${uid}\nSUMMARY:${uid}\nDTSTART:20260105T100000Z\nEND:VEVENT\nEND:VCALENDAR\n`

test('emails and meetings are imported once, and what was left out is listed by line', async ({ page }) => {
  const mark = `import-${crypto.randomUUID().slice(0, 8)}`
  const { v2 } = await consoleOf(page.request)
  const mbox = separated(message(`ada@${mark}.org`, mark)) + separated('Subject: no address\n')
  await page.goto('/settings/account')
  await page.getByRole('link', { name: 'Import email and calendar' }).click()
  await expect(page.getByText('never contents')).toBeVisible()
  await expectAccessible(page)
  await choose(page, [
    { name: 'archive.mbox', text: mbox },
    { name: 'work.ics', text: calendar(mark) },
    { name: 'table.ics', text: 'Name,Website\n' },
    { name: 'photo.png', text: 'x' },
  ])
  await expect(rowOf(page, 'archive.mbox')).toContainText('2 messages read: 1 new, 1 skipped')
  await expect(rowOf(page, 'work.ics')).toContainText('1 event read: 1 new')
  await expect(rowOf(page, 'table.ics').getByRole('alert')).toContainText('not an iCalendar file')
  await expect(rowOf(page, 'photo.png').getByRole('alert')).toHaveText('Not an .eml, .mbox or .ics file.')
  await rowOf(page, 'archive.mbox').getByText('1 problem').click()
  await expect(page.getByRole('region', { name: 'Problems of archive.mbox' })).toContainText('no sender')
  await expectAccessible(page)
  const { body } = await v2('GET', `/emails?domain=${mark}.org`)
  expect(body.data).toMatchObject([{ participants: [{ email_address: `ada@${mark}.org` }, {}] }])

  await page.reload()
  await choose(page, [{ name: 'archive.mbox', text: mbox }])
  await expect(rowOf(page, 'archive.mbox')).toContainText('2 messages read: 0 new, 1 unchanged, 1 skipped')
})

test('all problems of a file are downloaded, and emails from further addresses are outbound', async ({ page }) => {
  const mark = `many-${crypto.randomUUID().slice(0, 8)}`
  const { v2 } = await consoleOf(page.request)
  await page.goto('/settings/import')
  await page.getByLabel('Other addresses').fill(`own@${mark}.org`)
  const broken = Array.from({ length: 201 }, () => separated('Subject: =1+1\n')).join('')
  await choose(page, [{ name: 'broken.mbox', text: separated(message(`own@${mark}.org`, mark)) + broken }])
  await expect(rowOf(page, 'broken.mbox')).toContainText('202 messages read: 1 new, 201 skipped')
  await rowOf(page, 'broken.mbox').getByText('201 problems', { exact: true }).click()
  await expect(page.getByText('The first 200 are listed.')).toBeVisible()
  await expectAccessible(page)
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download 201 problems' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('broken.mbox.errors.csv')
  const lines = (await Bun.file(await download.path()).text()).trim().split('\r\n')
  expect([lines[0], lines.length]).toEqual(['line,outcome,column,value,reason', 202])
  const { body } = await v2('GET', `/emails?domain=${mark}.org`)
  expect(body.data).toMatchObject([{ direction: 'outbound' }])
})

test('an admin imports for another member, who imports only for themself', async ({ page, browser }) => {
  const mark = `other-${crypto.randomUUID().slice(0, 8)}`
  const names = { first_name: `Import${mark.slice(-8)}`, last_name: 'Member' }
  const account = await consoleOf(page.request)
  const { context, email } = await joinAs(browser, account, names)
  const file = { name: 'one.eml', text: message(email, mark) }
  await page.goto('/settings/import')
  await page.getByLabel('Member').selectOption(`${names.first_name} Member`)
  await choose(page, [file])
  await expect(rowOf(page, 'one.eml')).toContainText('1 message read: 1 new')
  await expect(rowOf(page, 'one.eml')).toContainText(`For ${names.first_name} Member`)
  const { body } = await account.v2('GET', `/emails?domain=${mark}.org`)
  expect(body.data).toMatchObject([{ direction: 'outbound' }])

  const other = await context.newPage()
  await other.goto('/settings/import')
  await expect(other.getByLabel('Choose files')).toBeAttached()
  await expect(other.getByLabel('Member')).toBeHidden()
  await choose(other, [file])
  await expect(rowOf(other, 'one.eml')).toContainText('1 message read: 0 new, 1 unchanged')
  await context.close()
})

test('the upload of a large file shows its progress and is cancelled', async ({ page, context }) => {
  const line = await context.newCDPSession(page)
  await page.goto('/settings/import')
  await line.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: 100_000,
  })
  const large = separated(`${message('ada@example.com', 'cancelled')}${'x\n'.repeat(1_000_000)}`)
  await choose(page, [
    { name: 'large.mbox', text: large },
    { name: 'next.ics', text: 'x' },
  ])
  const progress = page.getByRole('progressbar', { name: 'Upload of large.mbox' })
  await expect.poll(() => progress.evaluate((bar: HTMLProgressElement) => bar.position)).toBeGreaterThan(0.02)
  await expect(rowOf(page, 'next.ics')).toContainText('Waiting')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Cancel large.mbox' }).click()
  await expect(rowOf(page, 'large.mbox')).toContainText('Cancelled')
  await expect(rowOf(page, 'next.ics').getByRole('alert')).toContainText('not an iCalendar file')
})
