/** The home page: first steps, sample data, the day of a member, and which objects the navigation has. */

import { expectAccessible } from '../../support/accessible'
import { ADMIN, consoleOf, expect, signIn } from '../../support/journey'
import { testOnOwnService } from '../../support/own-service'

const test = testOnOwnService()

test('an admin looks around with sample data, changes a deal and removes the rest', async ({ page }) => {
  await page.goto('/')
  await signIn(page, ADMIN.email, ADMIN.password)
  await expect(page).toHaveURL(/\/home$/)
  const steps = page.getByRole('list', { name: 'First steps' })
  await expect(steps.getByRole('listitem')).toHaveCount(4)
  await expect(page.getByText('Nothing is due today.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Fill with sample data' }).click()
  await expect(page.getByText('Sample data added')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Today', exact: true }).getByRole('listitem')).toHaveCount(1)
  await page.reload()
  await expect(page.getByRole('list', { name: "Today's meetings" })).toContainText('Pilot review with Northwind')

  const own = await consoleOf(page.request)
  const deals = await own.v2('POST', '/objects/deals/records/query', {
    sorts: [{ attribute: 'name', direction: 'asc' }],
  })
  const [deal] = deals.body.data
  await page.goto(`/objects/deals/${deal.id.record_id}`)
  await page.getByRole('list', { name: 'Deal stage' }).getByRole('button', { name: 'Lost' }).click()
  await expect(page.getByRole('tabpanel', { name: 'Activity' }).getByText('changed')).toBeVisible()

  await page.getByRole('link', { name: 'Home' }).click()
  await page.getByRole('button', { name: 'Remove sample data…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Remove the sample data?' })
  await expect(dialog.getByRole('checkbox')).toBeChecked()
  await expect(dialog.getByText(deal.values.name[0].value)).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Remove sample data' }).click()
  await expect(page.getByText('Sample data removed: 18 records. 1 record kept')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Remove sample data…' })).toHaveCount(0)
  const left = await own.v2('POST', '/objects/deals/records/query', {})
  expect(left.body.data.map(({ id }: { id: object }) => id)).toEqual([deal.id])

  await page.getByRole('button', { name: 'Hide' }).click()
  await expect(steps).toHaveCount(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(steps).toBeVisible()
})

test('users and workspaces are in the navigation when they have records or an admin shows them', async ({ page }) => {
  await page.goto('/')
  await signIn(page, ADMIN.email, ADMIN.password)
  const navigation = page.getByRole('navigation', { name: 'Workspace' })
  await expect(navigation.getByRole('link', { name: 'Deals' })).toBeVisible()
  await expect(navigation.getByRole('link', { name: 'Users' })).toHaveCount(0)
  const own = await consoleOf(page.request)
  await own.create('/objects/users/records', { values: { user_id: 'ada', primary_email_address: 'ada@example.org' } })
  await expect(navigation.getByRole('link', { name: 'Users' })).toBeVisible()
  await page.goto('/settings/objects/workspaces')
  await page.getByRole('checkbox', { name: 'Show in the navigation' }).check()
  await page.getByRole('link', { name: 'Back to records' }).click()
  await expect(navigation.getByRole('link', { name: 'Workspaces' })).toBeVisible()
})

test('home shows due tasks and what others change on own and followed records', async ({ page }) => {
  await page.goto('/')
  await signIn(page, ADMIN.email, ADMIN.password)
  await expect(page).toHaveURL(/\/home$/)
  const own = await consoleOf(page.request)
  const values = { name: 'Cards for the mill', stage: 'Lead', owner: ADMIN.email }
  const { id } = await own.create('/objects/deals/records', { values })
  const links = { linked_records: [], assignees: [ADMIN.email] }
  const task = {
    format: 'plaintext',
    content: 'Call the mill',
    deadline_at: '2020-01-01',
    is_completed: false,
    ...links,
  }
  await own.create('/tasks', task)
  await expect(page.getByRole('list', { name: 'Overdue' })).toContainText('Call the mill')
  await expect(page.getByText('What others change on records that you own or follow appears here.')).toBeVisible()
  const key = await own.settings('POST', '/keys', {
    name: 'Robot',
    scopes: ['record_permission:read-write', 'object_configuration:read', 'user_management:read'],
  })
  const headers = { Authorization: `Bearer ${key.body.data.token}` }
  await page.request.patch(`/v2/objects/deals/records/${id.record_id}`, {
    headers,
    data: { data: { values: { value: 5 } } },
  })
  const changed = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Cards for the mill' }) })
  await expect(changed.first()).toContainText('API key “Robot” changed Deal value')
  await expectAccessible(page)

  const person = await own.create('/objects/people/records', { values: { name: 'Charles Babbage' } })
  await page.goto(`/objects/people/${person.id.record_id}`)
  const follow = page.getByRole('button', { name: 'Follow' })
  await expect(follow).toHaveAttribute('aria-pressed', 'false')
  await expect(follow).toBeEnabled()
  await page.keyboard.press('f')
  await expect(page.getByText('Home shows what others change on this record')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Following' })).toHaveAttribute('aria-pressed', 'true')
  await page.request.patch(`/v2/objects/people/records/${person.id.record_id}`, {
    headers,
    data: { data: { values: { job_title: 'Engineer' } } },
  })
  await page.getByRole('link', { name: 'Home' }).click()
  const followed = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Charles Babbage' }) })
  await expect(followed.first()).toContainText('API key “Robot” changed Job title')
  await followed.first().getByRole('link', { name: 'Charles Babbage' }).click()
  await page.getByRole('button', { name: 'Following' }).click()
  await expect(page.getByRole('button', { name: 'Follow', exact: true })).toHaveAttribute('aria-pressed', 'false')
})
