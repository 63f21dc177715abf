/** Actions of the audit log in words. */

const WORDS: Readonly<Record<string, string>> = {
  'api-key.created': 'made the key',
  'api-key.updated': 'changed the key',
  'api-key.revoked': 'revoked the key',
  'app.authentication-failed': 'failed to prove to be the app',
  'app.authorized': 'allowed the app',
  'app.created': 'made the app',
  'app.deleted': 'deleted the app',
  'app.updated': 'changed the app',
  'app-secret.created': 'made a secret of the app',
  'app-secret.deleted': 'deleted a secret of the app',
  'grant.created': 'gave access to the app',
  'grant.revoked': 'took access from the app',
  'invitation.accepted': 'accepted the invitation of',
  'invitation.created': 'invited',
  'invitation.deleted': 'took back the invitation of',
  'list.access-changed': 'changed who may use the list',
  'list.created': 'made the list',
  'list.deleted': 'deleted the list',
  'member.updated': 'changed the member',
  'password.changed': 'changed the password of',
  'password.reset': 'set a new password for',
  'sign-in.failed': 'failed to sign in as',
  'sign-in.succeeded': 'signed in as',
  'webhook.created': 'made the webhook to',
  'webhook.deleted': 'deleted the webhook to',
  'webhook.secret-rotated': 'gave a new secret to the webhook to',
  'webhook.updated': 'changed the webhook to',
  'workspace.created': 'made the workspace',
  'workspace.updated': 'changed the workspace',
}

/** "made the key"; an action of a newer service as it is called. */
export const actionInWords = (action: string): string => WORDS[action] ?? action.replace('.', ': ')

/** Actions of one kind are asked for by what they are about. */
export const ACTION_FILTERS: readonly { readonly value: string; readonly label: string }[] = [
  { value: '', label: 'Everything' },
  { value: 'api-key', label: 'API keys' },
  { value: 'app', label: 'Apps' },
  { value: 'grant', label: 'Access of apps' },
  { value: 'member', label: 'Members' },
  { value: 'invitation', label: 'Invitations' },
  { value: 'sign-in', label: 'Sign-ins' },
  { value: 'password', label: 'Passwords' },
  { value: 'list', label: 'Lists' },
  { value: 'webhook', label: 'Webhooks' },
  { value: 'workspace', label: 'The workspace' },
]
