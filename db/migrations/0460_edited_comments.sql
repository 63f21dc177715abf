-- When the content of a comment was changed last.

alter table relata.comments add column edited_at timestamptz;
