import { deleteMeeting, idOfMeeting, type Meeting } from '../../api/meetings/meetings'
import { confirmation } from '../../state/confirmation.svelte'
import { toasts } from '../../state/toasts.svelte'

/** Asks before a meeting is deleted. `ondeleted` is called afterwards. */
export function askToDelete(meeting: Meeting, ondeleted: () => unknown): void {
  const name = meeting.title === '' ? 'Untitled meeting' : meeting.title
  confirmation.ask({
    title: `Delete “${name}”?`,
    description: "This also deletes its recordings and transcripts. This can't be undone.",
    verb: 'Delete meeting',
    act: async () => {
      await deleteMeeting(idOfMeeting(meeting))
      toasts.show(`“${name}” deleted`)
      await ondeleted()
    },
  })
}
