import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test, withToken } from '../../support/journey'

test('a team is created, gets a member, sees a private list, and is deleted', async ({ page }) => {
  const { v2, settings } = await consoleOf(page.request)
  const { body: members } = await settings('GET', '/members')
  const { id: ownId, first_name, last_name, email_address } = members.data[0]
  const name = `${first_name} ${last_name}`.trim() || email_address
  await v2('POST', '/lists', {
    data: {
      name: 'Team plans',
      api_slug: 'team_plans',
      parent_object: 'people',
      workspace_access: null,
      workspace_member_access: [{ workspace_member_id: ownId, level: 'full-access' }],
    },
  })

  await page.goto('/settings/teams')
  await page.getByRole('button', { name: 'New team' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Planners')
  await page.getByRole('button', { name: 'Create team' }).click()
  const row = page.getByRole('listitem').filter({ hasText: 'Planners' })
  await expect(row.getByText('0 members')).toBeVisible()
  await page.getByRole('button', { name: 'Actions for Planners' }).click()
  await page.getByRole('menuitem', { name: 'Members' }).click()
  const dialog = page.getByRole('dialog', { name: 'Members of Planners' })
  await dialog.getByLabel('Find members').fill(email_address)
  await dialog.getByRole('button', { name: `Add ${name}` }).click()
  await expect(dialog.getByRole('button', { name: `Remove ${name}` })).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Done' }).click()
  await expect(row.getByText('1 member', { exact: true })).toBeVisible()

  await page.goto('/settings/lists/team_plans')
  await page.getByLabel('Access of Planners').selectOption({ label: 'Can view' })
  await expect(page.getByText('Access updated')).toBeVisible()
  const shared = async () => (await settings('GET', '/lists/team_plans/teams')).body.data
  await expect.poll(async () => (await shared()).map(({ level }: { level: string }) => level)).toEqual(['read-only'])
  await expectAccessible(page)

  await page.goto('/settings/teams')
  await page.getByRole('button', { name: 'Actions for Planners' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog', { name: 'Delete Planners?' }).getByRole('button', { name: 'Delete team' }).click()
  await expect(row).toHaveCount(0)
  await expect.poll(shared).toEqual([])
})

test('a domain shows its record, and the requests of an identity provider are listed', async ({ page }) => {
  await page.goto('/settings/sign-in')
  await page.getByRole('button', { name: 'Add domain' }).click()
  await page.getByRole('dialog').getByLabel('Domain').fill('Journey.invalid')
  await page.getByRole('dialog').getByRole('button', { name: 'Add domain' }).click()
  const dialog = page.getByRole('dialog', { name: 'Verify journey.invalid' })
  await expect(dialog.getByText('_relata-domain.journey.invalid')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Verify' }).click()
  await expect(dialog.getByText('was not found')).toBeVisible()
  await dialog.getByRole('button', { name: 'Later' }).click()
  await expect(
    page.getByRole('listitem').filter({ hasText: 'journey.invalid' }).getByText('Not verified'),
  ).toBeVisible()

  await page.getByRole('button', { name: 'Create token' }).click()
  const shown = page.getByRole('dialog', { name: 'Token created' })
  const token = (await shown.locator('code').textContent()) ?? ''
  await shown.getByRole('button', { name: 'Done' }).click()
  const filter = encodeURIComponent('userName eq "journey@journey.invalid"')
  expect((await withToken(token, `/scim/v2/Users?filter=${filter}`)).status).toBe(200)
  expect((await withToken(token, '/scim/v2/Users?filter=nonsense')).status).toBe(400)
  await page.reload()
  const table = page.getByRole('region', { name: 'SCIM requests' })
  await expect(table.getByText('GET /Users?filter=userName eq "journey@journey.invalid"')).toBeVisible()
  await expect(table.getByText('The filter needs an operator after "nonsense".')).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Remove journey.invalid' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove domain' }).click()
  await expect(page.getByText('journey.invalid removed')).toBeVisible()
  await expect(page.getByRole('listitem').filter({ hasText: 'journey.invalid' })).toHaveCount(0)
})
