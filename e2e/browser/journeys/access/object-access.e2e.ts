import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'
import { joinAs } from '../../support/second-member'
import { recordNamed, seedDevices } from '../../support/seed'

test('an admin hides an object and makes another one view-only; a team of the member gets access', async ({
  page,
  browser,
}) => {
  const service = await consoleOf(page.request)
  await seedDevices(service, 'safe')
  await seedDevices(service, 'ledger')
  const { context } = await joinAs(browser, service, { first_name: 'Luca', last_name: 'Pacioli' })
  const { body: members } = await service.settings('GET', '/members')
  const member = members.data.find(({ first_name }: { first_name: string }) => first_name === 'Luca')
  const { body: team } = await service.settings('POST', '/teams', { name: 'Bookkeepers' })
  await service.settings('PUT', `/teams/${team.data.id}/members/${member.id}`)

  await page.goto('/settings/members')
  await page.getByLabel('Access of all members to Safes').selectOption('Hidden')
  await expect(page.getByText('Access updated')).toBeVisible()
  await page.getByLabel('Access of all members to Ledgers').selectOption('Can view')
  const accessOf = async (slug: string) => (await service.settings('GET', `/objects/${slug}/access`)).body.data.members
  await expect.poll(async () => [await accessOf('safes'), await accessOf('ledgers')]).toEqual(['hidden', 'read-only'])
  await expectAccessible(page)

  const his = await context.newPage()
  await his.goto('/objects/ledgers')
  await expect(his.getByRole('gridcell', { name: 'Astrolabe' })).toBeVisible()
  await expect(his.getByText('View only. An admin can let you change ledgers.')).toBeVisible()
  const navigation = his.getByRole('navigation').first()
  await expect(navigation.getByRole('link', { name: 'Ledgers' })).toBeVisible()
  await expect(navigation.getByRole('link', { name: 'Safes' })).toHaveCount(0)
  for (const name of ['New ledger', 'Import']) {
    await expect(his.getByRole('button', { name })).toHaveCount(0)
    await expect(his.getByRole('link', { name })).toHaveCount(0)
  }
  await expect(his.getByRole('checkbox', { name: 'Select row' })).toHaveCount(0)
  await his.getByRole('gridcell', { name: 'S-1' }).dblclick()
  await expect(his.getByRole('textbox')).toHaveCount(0)
  await expectAccessible(his)

  const record = await recordNamed(service, 'ledgers', 'Astrolabe')
  await his.goto(`/objects/ledgers/${record.id.record_id}`)
  await expect(his.getByRole('heading', { level: 1, name: 'Astrolabe' })).toBeVisible()
  await expect(his.getByText('View only')).toBeVisible()
  await expect(his.getByText('S-1').first()).toBeVisible()
  await expect(his.getByRole('button', { name: /^(Empty\. )?Edit / })).toHaveCount(0)
  await his.getByRole('button', { name: 'More actions' }).click()
  await expect(his.getByRole('menuitem')).toHaveText(['Copy link'])
  await his.keyboard.press('Escape')
  await expectAccessible(his)

  await his.goto('/objects/ledgers/import')
  await expect(his.getByText("You can't import ledgers")).toBeVisible()
  await his.goto('/objects/safes')
  await expect(his.getByText('Not found', { exact: true })).toBeVisible()
  await his.keyboard.press('Control+k')
  await his.getByRole('combobox').fill('safes')
  await expect(his.getByText('No results for “safes”')).toBeVisible()
  await his.keyboard.press('Escape')

  await page.goto('/settings/objects/safes')
  await page.getByLabel('Access of Bookkeepers').selectOption('Can edit')
  await expect(page.getByText('Access updated')).toBeVisible()
  await expectAccessible(page)
  await his.goto('/objects/safes')
  await his.getByRole('button', { name: 'New safe' }).click()
  await his.getByRole('dialog').getByLabel('Name').fill('Strongbox')
  await his.getByRole('dialog').getByRole('button', { name: 'Create safe' }).click()
  await expect(his.getByRole('gridcell', { name: 'Strongbox' })).toBeVisible()
  await context.close()
})
