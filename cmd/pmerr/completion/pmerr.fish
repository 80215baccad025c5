# Completion of pmerr for fish: its one option.
complete -c pmerr -f -s l -l list -d 'list all error codes'
