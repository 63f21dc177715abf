/** The text of audit log entries. */

import type { AuditEntry } from '../../../api/access/audit-log'

const ACTIONS: Readonly<Record<string, string>> = {
  'api-key.created': 'created the key',
  'api-key.updated': 'updated the key',
  'api-key.revoked': 'revoked the key',
  'app.authentication-failed': 'failed to authenticate as the app',
  'app.authorized': 'authorized the app',
  'app.created': 'created the app',
  'app.deleted': 'deleted the app',
  'app.updated': 'updated the app',
  'app-secret.created': 'created a secret for the app',
  'app-secret.deleted': 'deleted a secret of the app',
  'domain.added': 'added the domain',
  'domain.removed': 'removed the domain',
  'domain.verified': 'verified the domain',
  'grant.created': 'granted access to the app',
  'grant.revoked': 'revoked access for the app',
  'index.dropped': 'dropped the index on',
  'index.kept': 'kept the index on',
  'index.rebuilt': 'rebuilt the index on',
  'installation.copied': 'declared the database a copy, at',
  'installation.moved': 'declared the database moved, to',
  'invitation.accepted': 'accepted the invitation for',
  'invitation.created': 'invited',
  'invitation.deleted': 'revoked the invitation for',
  'list.access-changed': 'changed access to the list',
  'list.created': 'created the list',
  'list.deleted': 'deleted the list',
  'member.created': 'added the member',
  'member.updated': 'updated the member',
  'object.access-changed': 'changed access to the object',
  'password.changed': 'changed the password for',
  'password.reset': 'reset the password for',
  'provider.account-linked': 'linked the provider to the account',
  'provider.created': 'set up the provider',
  'provider.deleted': 'removed the provider',
  'provider.updated': 'updated the provider',
  'recovery-code.used': 'used a recovery code for',
  'recovery-codes.created': 'created recovery codes for',
  'second-factor.added': 'added a second factor to',
  'second-factor.removed': 'removed a second factor from',
  'sign-in-rules.updated': 'changed how members sign in to',
  'sign-in.failed': 'failed to sign in as',
  'sign-in.succeeded': 'signed in as',
  'team.created': 'created the team',
  'team.deleted': 'deleted the team',
  'team.member-added': 'added a member to the team',
  'team.member-removed': 'removed a member from the team',
  'team.updated': 'renamed the team',
  'webhook.created': 'created the webhook to',
  'webhook.deleted': 'deleted the webhook to',
  'webhook.secret-rotated': 'rotated the secret of the webhook to',
  'webhook.updated': 'updated the webhook to',
  'workspace.created': 'created the workspace',
  'workspace.imported': 'imported the workspace',
  'workspace.updated': 'updated the workspace',
}

/** Events of requests without a session. */
const WITHOUT_ACTOR: Readonly<Record<string, string>> = {
  'app.authentication-failed': 'Failed authentication of the app',
  'password.reset': 'Password reset for',
  'provider.account-linked': 'First sign-in at the provider of',
  'provider.sign-in-failed': 'Failed sign-in at the provider',
  'second-factor.removed': 'Second factors removed from',
  'sign-in.failed': 'Failed sign-in for',
}

/** "created the key". Actions that are newer than this console show their identifier. */
export const actionText = ({ action, actor }: Pick<AuditEntry, 'action' | 'actor'>): string =>
  (actor === null ? WITHOUT_ACTOR[action] : undefined) ?? ACTIONS[action] ?? action.replace('.', ': ')

/** Filters by the kind of subject. */
export const ACTION_FILTERS: readonly { readonly value: string; readonly label: string }[] = [
  { value: '', label: 'All events' },
  { value: 'api-key', label: 'API keys' },
  { value: 'app', label: 'Apps' },
  { value: 'grant', label: 'App access' },
  { value: 'member', label: 'Members' },
  { value: 'team', label: 'Teams' },
  { value: 'domain', label: 'Domains' },
  { value: 'invitation', label: 'Invitations' },
  { value: 'sign-in', label: 'Sign-ins' },
  { value: 'password', label: 'Passwords' },
  { value: 'second-factor', label: 'Second factors' },
  { value: 'provider', label: 'Providers' },
  { value: 'list', label: 'Lists' },
  { value: 'index', label: 'Indexes' },
  { value: 'webhook', label: 'Webhooks' },
  { value: 'workspace', label: 'Workspace' },
]
