/** The move of a workspace to another service, by the columns of `relata.all_workspaces`. See docs/decisions/moves-of-workspaces.md. */
export interface WorkspaceMove {
  /** The address of the other service. */
  readonly to: string
  /** Whether the workspace is there. Until then it can be read here, and not written. */
  readonly isDone: boolean
}

interface MoveColumns {
  readonly moved_to: string | null
  /** Null while the workspace moves. */
  readonly deleted_at: string | null
}

/** Undefined for a workspace that does not move. */
export const moveOf = ({ moved_to: to, deleted_at }: MoveColumns): WorkspaceMove | undefined =>
  to === null ? undefined : { to, isDone: deleted_at !== null }
