/** From "Add account" to the meetings of a person, on a service of its own that may connect to the calendar server of the test. */

import { type CalendarServer, startCalendarServer } from '../../../support/calendar-server'
import { expectAccessible } from '../../support/accessible'
import { expect } from '../../support/journey'
import { openWithPerson, serverFixture, testOnOwnService } from '../../support/own-service'

const test = testOnOwnService({ RELATA_ALLOW_PRIVATE_TARGETS: '1' }).extend<{ server: CalendarServer }>({
  server: serverFixture(startCalendarServer),
})

const time = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')

const event = (title: string, ...lines: string[]) =>
  [
    'BEGIN:VCALENDAR',
    'BEGIN:VEVENT',
    `UID:${title}`,
    `SUMMARY:${title}`,
    `DTSTART:${time(24)}`,
    `DTEND:${time(25)}`,
    'ORGANIZER:mailto:ada@lovelace.invalid',
    'ATTENDEE;CN="Grace Hopper":mailto:grace@navy.mil',
    ...lines,
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n')

test('calendars are connected, their meetings appear with the person, and they are removed with them', async ({
  page,
  server,
}) => {
  server.add('Work', 'compilers.ics', event('Compilers'))
  server.add('Work', 'broken.ics', event('Broken', 'RRULE:FREQ=SECONDLY'))
  server.add('Home', 'doctor.ics', event('Doctor', 'CLASS:PRIVATE'))
  server.ics = event('Subroutines')
  const person = await openWithPerson(page)

  await page.goto('/settings/connected-accounts')
  await page.getByRole('button', { name: 'Add account' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add account' })
  await dialog.getByRole('radio', { name: 'Calendars' }).check()
  await dialog.getByLabel('Email address').fill('ada@lovelace.invalid')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Continue' }).click()
  await expect(dialog.getByText('The server was not found')).toBeVisible()
  await dialog.getByLabel('Server').fill(server.url)
  await dialog.getByLabel('User name').fill('ada')
  await dialog.getByLabel('Password').fill('wrong')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await expect(dialog.getByRole('alert')).toContainText('It said: 401 Unauthorized')
  await dialog.getByLabel('Password').fill('secret')
  await dialog.getByRole('button', { name: 'Connect' }).click()

  const accounts = page.getByRole('list', { name: 'Accounts' }).getByRole('listitem')
  const row = accounts.filter({ hasText: 'Calendars of ada@lovelace.invalid' })
  await expect(row).toContainText('Up to date')
  await expect(row).toContainText('2 meetings stored')
  await row.getByText('1 event was skipped').click()
  await expect(row).toContainText('Work: Broken')
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Actions for Calendars of ada@lovelace.invalid' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Calendars of ada@lovelace.invalid' })
  await edit.getByLabel('Home').uncheck()
  await expectAccessible(page)
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(row).toContainText('1 meeting stored')

  await page.getByRole('button', { name: 'Add account' }).click()
  await dialog.getByRole('radio', { name: 'Calendar address' }).check()
  await dialog.getByLabel('Address of the calendar').fill(`${server.url}/calendar.ics`)
  await dialog.getByLabel('Name').fill('Team')
  await dialog.getByLabel('Your email address in this calendar').fill('ada@lovelace.invalid')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Connect' }).click()
  await expect(accounts.filter({ hasText: 'Team' })).toContainText('1 meeting stored')

  await page.goto(`/objects/people/${person}`)
  await page.getByRole('tab', { name: 'Activity' }).click()
  await expect(page.getByText('Compilers')).toBeVisible()
  await expect(page.getByText('Subroutines')).toBeVisible()

  await page.goto('/settings/connected-accounts')
  for (const name of ['Calendars of ada@lovelace.invalid', 'Team']) {
    await page.getByRole('button', { name: `Actions for ${name}` }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page
      .getByRole('dialog', { name: `Remove ${name}?` })
      .getByRole('button', { name: 'Remove account' })
      .click()
  }
  await expect(page.getByText('No accounts yet')).toBeVisible()
  await page.goto(`/objects/people/${person}`)
  await page.getByRole('tab', { name: 'Activity' }).click()
  await expect(page.getByText('Compilers')).toHaveCount(0)
})
