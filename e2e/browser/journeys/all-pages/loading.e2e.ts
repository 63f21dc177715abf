/** What a page requests when it opens. */

import { consoleOf, expect, test } from '../../support/journey'

test('a table reads nothing twice when it opens, and shows a record that is created then', async ({ page }) => {
  const reads: string[] = []
  page.on('request', (request) => {
    if (request.method() === 'GET') reads.push(request.url())
  })
  await page.goto('/objects/people')
  await expect(page.getByRole('heading', { name: 'People' })).toBeVisible()

  const { create } = await consoleOf(page.request)
  await create('/objects/people/records', { values: { name: 'Late Lovelace' } })
  await expect(page.getByRole('grid').getByText('Late Lovelace')).toBeVisible()
  expect(reads.filter((url, index) => reads.indexOf(url) !== index)).toEqual([])
})
