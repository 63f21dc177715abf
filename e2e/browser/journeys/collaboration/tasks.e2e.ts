/** Tasks: the list of a member, the keyboard, the tasks of a record, and other tabs. */

import type { Page } from 'playwright/test'
import { expectAccessible } from '../../support/accessible'
import { type Console, consoleOf, expect, test } from '../../support/journey'
import { attribute } from '../../support/seed'

const DAY_MS = 24 * 3_600_000

interface Seeded {
  readonly content: string
  /** In how many days the task is due. */
  readonly dueIn?: number
}

async function createTask({ v2 }: Console, { content, dueIn }: Seeded, memberId: string): Promise<string> {
  const deadline_at = dueIn === undefined ? null : new Date(Date.now() + dueIn * DAY_MS).toISOString()
  const { body } = await v2('POST', '/tasks', {
    data: {
      content,
      format: 'plaintext',
      deadline_at,
      is_completed: false,
      linked_records: [],
      assignees: [{ referenced_actor_type: 'workspace-member', referenced_actor_id: memberId }],
    },
  })
  return body.data.id.task_id
}

async function memberIdOf({ v2 }: Console, email: string): Promise<string> {
  const { body } = await v2('GET', '/workspace_members')
  const found = body.data.find(({ email_address }: { email_address: string }) => email_address === email)
  return found.id.workspace_member_id
}

const row = (page: Page, content: string) => page.getByRole('listitem').filter({ hasText: content })

test('tasks stand under their due dates, and are added, completed, reopened and deleted by keyboard', async ({
  page,
}) => {
  const own = await consoleOf(page.request)
  const me = await memberIdOf(own, 'ada@example.com')
  const late = await createTask(own, { content: 'Oil the late gears', dueIn: -2 }, me)
  await createTask(own, { content: 'Order punched cards', dueIn: 3 }, me)
  const isCompleted = async (id: string) => (await own.v2('GET', `/tasks/${id}`)).body.data.is_completed as boolean

  await page.goto('/tasks')
  await expect(page.getByRole('list', { name: 'Overdue' }).getByText('Oil the late gears')).toBeVisible()
  await expect(page.getByRole('list', { name: 'Upcoming' }).getByText('Order punched cards')).toBeVisible()
  await expectAccessible(page)

  await page.keyboard.press('c')
  await expect(page.getByRole('textbox', { name: 'New task' })).toBeFocused()
  await page.keyboard.type('Wind the clock')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('list', { name: 'No due date' }).getByText('Wind the clock')).toBeVisible()
  await expect(page.getByRole('textbox', { name: 'New task' })).toHaveValue('')

  await row(page, 'Oil the late gears').focus()
  await page.keyboard.press('x')
  await expect(row(page, 'Oil the late gears')).toHaveCount(0)
  await expect(page.getByText('Task completed')).toBeVisible()
  await expect.poll(() => isCompleted(late)).toBe(true)
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).click()
  await expect(row(page, 'Oil the late gears')).toBeVisible()
  await expect.poll(() => isCompleted(late)).toBe(false)

  await row(page, 'Oil the late gears').focus()
  await page.keyboard.press('j')
  await expect(row(page, 'Oil the late gears')).not.toBeFocused()
  await page.keyboard.press('k')
  await expect(row(page, 'Oil the late gears')).toBeFocused()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Edit task' })
  await expect(dialog.getByRole('textbox', { name: 'Task' })).toHaveValue('Oil the late gears')
  expect(new URL(page.url()).searchParams.get('task')).toBe(late)
  await expectAccessible(page)
  await dialog.getByRole('textbox', { name: 'Task' }).fill('Oil all gears')
  await dialog.getByLabel('Due date').fill('2099-01-31')
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  await expect(page.getByRole('list', { name: 'Upcoming' }).getByText('Oil all gears')).toBeVisible()
  await expect.poll(async () => (await own.v2('GET', `/tasks/${late}`)).body.data.deadline_at).toContain('2099-01-31')

  await row(page, 'Oil all gears').focus()
  await page.keyboard.press('Delete')
  await page
    .getByRole('dialog', { name: 'Delete “Oil all gears”?' })
    .getByRole('button', { name: 'Delete task' })
    .click()
  await expect(row(page, 'Oil all gears')).toHaveCount(0)
  await expect.poll(async () => (await own.v2('GET', `/tasks/${late}`)).status).toBe(404)
})

test('the view is in the address; completed tasks are listed and reopened', async ({ page }) => {
  const own = await consoleOf(page.request)
  const me = await memberIdOf(own, 'ada@example.com')
  const id = await createTask(own, { content: 'Calibrate the difference engine' }, me)
  await own.v2('PATCH', `/tasks/${id}`, { data: { is_completed: true, assignees: [] } })
  await page.goto('/tasks')
  await page.getByRole('radio', { name: 'Completed' }).check()
  await expect(page).toHaveURL(/state=completed/)
  await expect(row(page, 'Calibrate the difference engine')).toHaveCount(0)
  await page.getByRole('radio', { name: "Everyone's" }).check()
  await expect(page).toHaveURL(/of=all/)
  await expect(row(page, 'Calibrate the difference engine')).toBeVisible()
  await page.getByRole('checkbox', { name: 'Complete “Calibrate the difference engine”' }).click()
  await expect(row(page, 'Calibrate the difference engine')).toHaveCount(0)
  await expect.poll(async () => (await own.v2('GET', `/tasks/${id}`)).body.data.is_completed).toBe(false)
  await page.goBack()
  await expect(page.getByRole('radio', { name: 'Mine' })).toBeChecked()

  await page.keyboard.press('Control+k')
  await page.keyboard.type('New task')
  await page.getByRole('option', { name: 'New task' }).waitFor()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('textbox', { name: 'New task' })).toBeFocused()
  await page.keyboard.press('Escape')
})

test('a record has tasks, which other tabs show at once; they fit a narrow screen', async ({ page, context }) => {
  const own = await consoleOf(page.request)
  const slug = 'engines_with_tasks'
  const nouns = { singular_noun: 'Tasked engine', plural_noun: 'Tasked engines' }
  await own.v2('POST', '/objects', { data: { api_slug: slug, ...nouns } })
  await own.v2('POST', `/objects/${slug}/attributes`, { data: attribute('Name', 'name', 'text') })
  const { body } = await own.v2('POST', `/objects/${slug}/records`, { data: { values: { name: 'Difference Engine' } } })
  const id: string = body.data.id.record_id
  const other = await context.newPage()
  await other.goto(`/objects/${slug}/${id}?tab=tasks`)
  await expect(other.getByText('No open tasks')).toBeVisible()

  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto(`/objects/${slug}/${id}`)
  await page.getByRole('button', { name: 'New task' }).click()
  await expect(page.getByRole('textbox', { name: 'New task' })).toBeFocused()
  await page.keyboard.type('Polish the crank')
  await page.keyboard.press('Enter')
  await expect(row(page, 'Polish the crank')).toBeVisible()
  await expect(page.getByRole('tab', { name: 'Tasks' })).toHaveText(/1/)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  await expectAccessible(page)

  await other.bringToFront()
  await expect(row(other, 'Polish the crank')).toBeVisible()
  const query = `/tasks?linked_object=${slug}&linked_record_id=${id}`
  await expect.poll(async () => (await own.v2('GET', query)).body.data.length).toBe(1)
})

test('a task is assigned and linked to a record by keyboard', async ({ page }) => {
  const own = await consoleOf(page.request)
  const me = await memberIdOf(own, 'ada@example.com')
  const { body } = await own.v2('POST', '/objects/people/records', { data: { values: { name: 'Lina Linked' } } })
  const record: string = body.data.id.record_id
  const id = await createTask(own, { content: 'Assemble the mill' }, me)
  await own.v2('PATCH', `/tasks/${id}`, { data: { assignees: [] } })
  await page.goto(`/tasks?of=all&task=${id}`)
  const dialog = page.getByRole('dialog', { name: 'Edit task' })
  for (const [label, name] of [
    ['Assignees', 'Ada Lovelace'],
    ['Records', 'Lina Linked'],
  ] as const) {
    const field = dialog.getByRole('combobox', { name: label })
    await field.focus()
    await page.keyboard.type(name)
    await page.getByRole('option', { name }).waitFor()
    await expect(field).toHaveAttribute('aria-activedescendant', /./)
    await page.keyboard.press('Enter')
    await expect(dialog.getByRole('button', { name: `Remove ${name}` })).toBeAttached()
  }
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).press('Enter')
  const stored = async () => {
    const { assignees, linked_records } = (await own.v2('GET', `/tasks/${id}`)).body.data
    return [assignees[0]?.referenced_actor_id, linked_records[0]?.target_record_id]
  }
  await expect.poll(stored).toEqual([me, record])
})

test('a task that is due today is in the inbox', async ({ page }) => {
  const own = await consoleOf(page.request)
  await createTask(own, { content: 'Read the dial', dueIn: 0 }, await memberIdOf(own, 'ada@example.com'))
  await page.goto('/inbox')
  await page.getByRole('list', { name: 'Due today' }).getByRole('link', { name: 'Read the dial' }).click()
  await expect(page.getByRole('dialog', { name: 'Edit task' })).toBeVisible()
})
