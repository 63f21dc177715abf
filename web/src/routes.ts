/** The sitemap. The first matching route is shown. The code of a screen is loaded with its first visit. */

import type { Params, Route } from './router/match'

const bare = (path: string, load: Route['load']): Route => ({ path, load, frame: 'bare' })
const inShell = (path: string, load: Route['load'], properties: Params = {}): Route => ({
  path,
  load,
  properties,
  frame: 'shell',
})

/** What a path names: objects or activities. */
const OBJECTS = { kind: 'objects' }
const ACTIVITIES = { kind: 'activities' }

/** The records of objects and of activities. */
const records = {
  table: () => import('./screens/records/Records.svelte'),
  trash: () => import('./screens/records/trash/Trash.svelte'),
  one: () => import('./screens/records/record/RecordPage.svelte'),
}

/** The settings of objects and of activities. */
const settings = {
  list: () => import('./screens/settings/objects/Objects.svelte'),
  one: () => import('./screens/settings/objects/ObjectSettings.svelte'),
  attribute: () => import('./screens/settings/objects/ObjectAttribute.svelte'),
}

export const ROUTES: readonly Route[] = [
  bare('/sign-in', () => import('./screens/sign-in/SignIn.svelte')),
  bare('/sign-in/callback/:provider', () => import('./screens/sign-in/ProviderCallback.svelte')),
  bare('/reset-password/:token', () => import('./screens/sign-in/ResetPassword.svelte')),
  bare('/invitations/:token', () => import('./screens/sign-in/Invitation.svelte')),
  bare('/authorize', () => import('./screens/authorize/Authorize.svelte')),

  inShell('/objects', () => import('./screens/objects/Home.svelte')),
  inShell('/objects/:slug', records.table, OBJECTS),
  inShell('/objects/:slug/import', () => import('./screens/records/import/ImportScreen.svelte')),
  inShell('/objects/:slug/trash', records.trash, OBJECTS),
  inShell('/objects/:slug/:record', records.one, OBJECTS),
  inShell('/activities/:slug', records.table, ACTIVITIES),
  inShell('/activities/:slug/trash', records.trash, ACTIVITIES),
  inShell('/activities/:slug/:record', records.one, ACTIVITIES),
  inShell('/lists/:slug', () => import('./screens/lists/List.svelte')),

  inShell('/notes', () => import('./screens/notes/list/Notes.svelte')),
  inShell('/notes/new', () => import('./screens/notes/note/NewNoteScreen.svelte')),
  inShell('/notes/:id', () => import('./screens/notes/note/NoteScreen.svelte')),
  inShell('/tasks', () => import('./screens/tasks/Tasks.svelte')),
  inShell('/meetings/:id', () => import('./screens/meetings/meeting/MeetingScreen.svelte')),
  inShell('/inbox', () => import('./screens/inbox/Inbox.svelte')),

  inShell('/sql', () => import('./screens/sql/SqlScreen.svelte')),

  inShell('/webhooks', () => import('./screens/webhooks/list/Webhooks.svelte')),
  inShell('/webhooks/test-endpoints', () => import('./screens/webhooks/test-endpoints/TestEndpoints.svelte')),
  inShell('/webhooks/test-endpoints/:id', () => import('./screens/webhooks/test-endpoints/TestEndpointPage.svelte')),
  inShell('/webhooks/:id', () => import('./screens/webhooks/webhook/WebhookPage.svelte')),

  inShell('/settings', () => import('./screens/settings/account/Account.svelte')),
  inShell('/settings/account', () => import('./screens/settings/account/Account.svelte')),
  inShell(
    '/settings/connected-accounts',
    () => import('./screens/settings/connected-accounts/ConnectedAccounts.svelte'),
  ),
  inShell(
    '/settings/connected-accounts/callback',
    () => import('./screens/settings/connected-accounts/SignInCallback.svelte'),
  ),
  inShell('/settings/email-templates', () => import('./screens/settings/email-templates/EmailTemplates.svelte')),
  inShell('/settings/import', () => import('./screens/settings/file-imports/FileImports.svelte')),
  inShell('/settings/workspace', () => import('./screens/settings/workspace/General.svelte')),
  inShell('/settings/members', () => import('./screens/settings/members/Members.svelte')),
  inShell('/settings/teams', () => import('./screens/settings/teams/Teams.svelte')),
  inShell('/settings/sign-in', () => import('./screens/settings/sign-in/SignInSettings.svelte')),
  inShell('/settings/audit-log', () => import('./screens/settings/audit-log/AuditLog.svelte')),
  inShell('/settings/personal-data', () => import('./screens/settings/personal-data/PersonalData.svelte')),
  inShell('/settings/objects', settings.list, OBJECTS),
  inShell('/settings/objects/:slug', settings.one, OBJECTS),
  inShell('/settings/objects/:slug/:attribute', settings.attribute, OBJECTS),
  inShell('/settings/activities', settings.list, ACTIVITIES),
  inShell('/settings/activities/:slug', settings.one, ACTIVITIES),
  inShell('/settings/activities/:slug/:attribute', settings.attribute, ACTIVITIES),
  inShell('/settings/lists', () => import('./screens/settings/lists/Lists.svelte')),
  inShell('/settings/lists/:slug', () => import('./screens/settings/lists/ListSettings.svelte')),
  inShell('/settings/lists/:slug/:attribute', () => import('./screens/settings/lists/ListAttribute.svelte')),
  inShell('/settings/indexes', () => import('./screens/settings/indexes/Indexes.svelte')),
  inShell('/settings/keys', () => import('./screens/settings/keys/Keys.svelte')),
  inShell('/settings/apps', () => import('./screens/settings/apps/Apps.svelte')),
  inShell('/settings/assistants', () => import('./screens/settings/assistants/Assistants.svelte')),
  inShell('/settings/requests', () => import('./screens/settings/requests/Requests.svelte')),
  inShell('/settings/apps/:id', () => import('./screens/settings/apps/AppPage.svelte')),

  // The `web_url` of records.
  inShell('/:workspace/:segment/:record', () => import('./screens/objects/RecordLink.svelte')),
  inShell('/:workspace/:object/record/:record', () => import('./screens/objects/RecordLink.svelte')),
]

export const NOT_FOUND: Route['load'] = () => import('./screens/NotFound.svelte')
