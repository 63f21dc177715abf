/** The label of the modifier key of shortcuts: ⌘ on Apple devices, Ctrl elsewhere. */
export const COMMAND_KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘' : 'Ctrl'
