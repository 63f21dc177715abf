import type { Scope } from '#vocabulary/scopes'

/** The scopes that the tools of assistants need. A client that registered itself gets no other. */
export const ASSISTANT_SCOPES: readonly Scope[] = [
  'user_management:read',
  'record_permission:read-write',
  'object_configuration:read',
  'list_entry:read-write',
  'list_configuration:read',
  'comment:read-write',
  'task:read-write',
  'note:read-write',
]
