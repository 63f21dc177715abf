-- The activity of a record has its meetings at their start.

create index meeting_links_by_start on relata.meeting_links (workspace_id, record_id, starts_at, meeting_id);
drop index relata.meeting_links_linked;
