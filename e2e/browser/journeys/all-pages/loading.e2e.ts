/** What a page requests when it opens. */

import { consoleOf, expect, test } from '../../support/journey'

test('a table reads nothing twice when it opens, and follows the changes after that', async ({ page }) => {
  const { create, v2 } = await consoleOf(page.request)
  const { id } = await create('/objects/people/records', { values: { name: 'Early Lovelace' } })
  const reads: string[] = []
  page.on('request', (request) => {
    // The picture of a changed record is read again.
    if (request.method() === 'GET' && !request.url().includes('/pictures?')) reads.push(request.url())
  })
  await page.goto('/objects/people')
  await expect(page.getByRole('grid').getByText('Early Lovelace')).toBeVisible()

  await v2('PATCH', `/objects/people/records/${id.record_id}`, { data: { values: { name: 'Late Lovelace' } } })
  await expect(page.getByRole('grid').getByText('Late Lovelace')).toBeVisible()
  expect(reads.filter((url, index) => reads.indexOf(url) !== index)).toEqual([])
})
