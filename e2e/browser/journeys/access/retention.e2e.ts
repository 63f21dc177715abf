import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'
import { joinAs } from '../../support/second-member'
import { seedDevices } from '../../support/seed'

test('an admin previews, sets and turns off the retention of an object; a member has no access to it', async ({
  page,
  browser,
}) => {
  const service = await consoleOf(page.request)
  await seedDevices(service, 'relic')
  await page.goto('/settings/objects/relics')
  await expect(page.getByText('Off. Records are kept until someone deletes them.')).toBeVisible()
  await page.getByRole('button', { name: 'Set up…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Retention of Relics' })
  await dialog.getByLabel('Days without a change').fill('0')
  await expect(dialog.getByRole('button', { name: 'Preview' })).toBeDisabled()
  await dialog.getByLabel('Days without a change').fill('365')
  await dialog.getByLabel('What happens then').selectOption('Delete for good')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await expect(dialog.getByText('Today, no records would be deleted.')).toBeVisible()
  await expectAccessible(page)
  // Another number needs another preview.
  await dialog.getByLabel('Days without a change').fill('730')
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText("Records that haven't changed for 730 days are deleted for good.")).toBeVisible()
  await expect(page.getByText('Next run:')).toBeVisible()
  await expectAccessible(page)

  const { context } = await joinAs(browser, service, { first_name: 'Otto', last_name: 'Member' })
  const his = await context.newPage()
  await his.goto('/settings/objects/relics')
  await expect(his.getByRole('heading', { name: 'Attributes' })).toBeVisible()
  await expect(his.getByRole('heading', { name: 'Retention' })).toHaveCount(0)
  await context.close()

  await page.getByRole('button', { name: 'Turn off' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Turn off' }).click()
  await expect(page.getByText('Off. Records are kept until someone deletes them.')).toBeVisible()
  await page.goto('/settings/audit-log')
  await expect(page.getByText('changed the retention of').first()).toBeVisible()
})
