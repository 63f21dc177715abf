/** Meetings: made and changed on the page of a record, shown in its activity, and the page of a meeting with its recording. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { type Console, consoleOf, expect, test } from '../../support/journey'

async function createCompany({ v2 }: Console, name: string): Promise<string> {
  const { body } = await v2('POST', '/objects/companies/records', { data: { values: { name } } })
  return body.data.id.record_id
}

async function createMeeting({ v2 }: Console, recordId: string, title: string): Promise<string> {
  const { body } = await v2('POST', '/meetings', {
    data: {
      title,
      description: 'Agenda:\n- cards',
      is_all_day: false,
      start: { datetime: '2025-03-10T09:00:00', timezone: 'America/New_York' },
      end: { datetime: '2025-03-10T10:00:00', timezone: 'America/New_York' },
      participants: [
        { name: 'Grace', is_organizer: true, status: 'accepted' },
        { name: 'Joan', is_organizer: false, status: 'declined' },
      ],
      linked_records: [{ object: 'companies', record_id: recordId }],
    },
  })
  return body.data.id.meeting_id
}

const meetings = (page: Page, title: 'Upcoming' | 'Past') => page.getByRole('list', { name: title })

test('a meeting is made and changed on the page of a record, and is in its activity', async ({ page }) => {
  const own = await consoleOf(page.request)
  const id = await createCompany(own, 'Appointed Looms')
  await page.goto(`/objects/companies/${id}?tab=meetings`)
  await expect(page.getByText('No meetings yet')).toBeVisible()
  await page.keyboard.press('c')
  const dialog = page.getByRole('dialog', { name: 'New meeting' })
  await dialog.getByRole('textbox', { name: 'Title' }).fill('Fit the looms')
  await dialog.getByLabel('Start').fill('2099-03-01T14:00')
  await expect(dialog.getByLabel('End')).toHaveValue('2099-03-01T15:00')
  await dialog.getByLabel('Time zone').selectOption('America/New_York')
  await dialog.getByRole('button', { name: 'Add participant' }).click()
  await page.keyboard.type('Grace')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Create meeting' }).press('Enter')
  await expect(meetings(page, 'Upcoming').getByRole('link', { name: 'Fit the looms' })).toBeVisible()
  await expectAccessible(page)

  const stored = async () => (await own.v2('GET', `/meetings?linked_object=companies&linked_record_id=${id}`)).body.data
  await expect.poll(async () => (await stored())[0]?.start.datetime).toBe('2099-03-01T14:00:00.000-05:00')
  await page.getByRole('button', { name: 'Edit Fit the looms' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit meeting' })
  await edit.getByLabel('End').fill('2099-03-01T13:00')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(edit.getByText('The end must be after the start.')).toBeVisible()
  await edit.getByRole('checkbox', { name: 'All day' }).check()
  await edit.getByLabel('End').fill('2099-03-02')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(edit).toHaveCount(0)
  await expect
    .poll(async () => (await stored())[0])
    .toMatchObject({
      title: 'Fit the looms',
      start: { date: '2099-03-01' },
      end: { date: '2099-03-03' },
      participants: [{ email_address: 'ada@example.com' }, { name: 'Grace' }],
    })

  await page.getByRole('tab', { name: 'Activity' }).click()
  await expect(page.getByRole('tabpanel').getByRole('listitem').filter({ hasText: 'Fit the looms' })).toBeVisible()
  await page.getByRole('tab', { name: 'Meetings' }).click()
  await page.getByRole('button', { name: 'Delete Fit the looms' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete meeting' }).click()
  await expect(page.getByText('No meetings yet')).toBeVisible()
  await expect.poll(stored).toEqual([])
})

/** Half a minute of silence, which a browser plays without the codecs of videos. */
function silence(): Buffer {
  const [rate, seconds] = [8000, 30]
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + rate * seconds, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(rate * seconds, 40)
  return Buffer.concat([header, Buffer.alloc(rate * seconds, 128)])
}

/** The service stores no recording of the tests' network, so the browser gets one in its place. */
async function serveRecording(page: Page): Promise<void> {
  await page.route('**/call_recordings/*', async (route) => {
    if (route.request().method() !== 'GET') return route.continue()
    const answer = await route.fetch()
    const body = await answer.json()
    body.data.video_url = new URL('/files/recording', page.url()).href
    await route.fulfill({ response: answer, json: body })
  })
  const bytes = silence()
  await page.route('**/files/recording', (route) => {
    const from = Number(/bytes=(\d+)-/.exec(route.request().headers().range ?? '')?.[1] ?? 0)
    const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`
    const headers = { 'Content-Type': 'audio/wav', 'Accept-Ranges': 'bytes', 'Content-Range': range }
    return route.fulfill({ status: 206, headers, body: bytes.subarray(from) })
  })
}

test('the page of a meeting shows its facts; lines of a pasted transcript seek in the recording', async ({ page }) => {
  const own = await consoleOf(page.request)
  const recordId = await createCompany(own, 'Recorded Mills')
  const id = await createMeeting(own, recordId, 'Mill review')
  await page.goto(`/objects/companies/${recordId}?tab=meetings`)
  await meetings(page, 'Past').getByRole('link', { name: 'Mill review' }).press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Mill review' })).toBeVisible()
  const participants = page.getByRole('list', { name: 'Participants' })
  await expect(participants.getByRole('listitem')).toHaveText([/Grace\s*Organizer\s*Accepted/, /Joan\s*Declined/])
  await expect(page.getByText('America/New York')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Records' }).getByRole('link', { name: 'Recorded Mills' })).toBeVisible()
  await expect(page.getByText('No recordings yet')).toBeVisible()

  await page.getByRole('button', { name: 'Add recording' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add recording' })
  const text = dialog.getByRole('textbox', { name: 'Transcript' })
  await text.fill('Grace said hello')
  await dialog.getByRole('button', { name: 'Add recording' }).click()
  await expect(dialog.getByText('Line 1 must look like')).toBeVisible()
  await text.fill('[00:01] Grace: The cards are punched.\n[00:12] Joan: <b>All</b> of them?\n[00:20] Joan: Good.')
  await dialog.getByRole('button', { name: 'Add recording' }).click()
  const lines = page.getByRole('list', { name: 'Transcript' }).getByRole('listitem')
  await expect(lines).toHaveCount(3)
  await expectAccessible(page)

  await serveRecording(page)
  await page.reload()
  const player = page.getByLabel('Recording', { exact: true })
  await lines.nth(1).getByRole('button').press('Enter')
  await expect(lines.nth(1)).toHaveAttribute('aria-current', 'true')
  await expect(lines.nth(1)).toContainText('<b>All</b> of them?')
  await expect
    .poll(() => player.evaluate((video: HTMLVideoElement) => Math.floor(video.currentTime)))
    .toBeGreaterThan(11)
  await page.setViewportSize({ width: 390, height: 800 })
  await expectAccessible(page)
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
  expect(overflow).toBe(0)

  await page.getByRole('button', { name: 'Delete recording' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete recording' }).click()
  await expect(page.getByText('No recordings yet')).toBeVisible()
  await expect.poll(async () => (await own.v2('GET', `/meetings/${id}/call_recordings`)).body.data).toEqual([])

  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const edit = page.getByRole('dialog', { name: 'Edit meeting' })
  await edit.getByRole('textbox', { name: 'Title' }).fill('Mill review, later')
  await edit.getByRole('button', { name: 'Remove Recorded Mills' }).click()
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Mill review, later' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Recorded Mills' })).toHaveCount(0)
  await expect.poll(async () => (await own.v2('GET', `/meetings/${id}`)).body.data.linked_records).toEqual([])
})
