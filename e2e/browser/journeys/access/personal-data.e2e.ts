import { expectAccessible } from '../../support/accessible'
import { consoleOf, expect, test } from '../../support/journey'

test('a person is found, exported and erased', async ({ page }) => {
  const { v2 } = await consoleOf(page.request)
  const address = 'wanda@personal-data.dev'
  await v2('POST', '/objects/people/records', {
    data: { values: { name: 'Vanishing, Wanda', email_addresses: [address], description: 'To be erased' } },
  })
  await page.goto('/settings/personal-data')
  await page.getByLabel('Email address of the person').fill('  Wanda@personal-data.dev')
  await page.getByRole('button', { name: 'Find' }).click()
  await expect(page.getByRole('heading', { name: `What is stored about ${address}` })).toBeVisible()
  await expect(page.getByText(`Wanda Vanishing, ${address}`)).toBeVisible()
  await expectAccessible(page)

  const downloaded = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download export' }).click()
  expect((await downloaded).suggestedFilename()).toBe('personal-data.zip')

  await page.getByRole('button', { name: 'Erase…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Erase this person?' })
  await dialog.getByLabel(`Type “${address}” to confirm`).fill('wanda@')
  await expect(dialog.getByRole('button', { name: 'Erase person' })).toBeDisabled()
  await dialog.getByLabel(`Type “${address}” to confirm`).fill(address)
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Erase person' }).click()
  await expect(page.getByText('Person erased.')).toBeVisible()

  await page.getByLabel('Email address of the person').fill(address)
  await page.getByRole('button', { name: 'Find' }).click()
  await expect(page.getByText('Nothing is stored about this person.')).toBeVisible()
  await page.goto('/settings/audit-log')
  await expect(page.getByText('erased a person').first()).toBeVisible()
})
