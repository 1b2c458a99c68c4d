"""Everything that Tartib writes to disk, and what it promises.

Complete or not there
    An output has a hidden name beside its own (`names`) until all of it is written.
Old or new, never neither
    To replace a folder, the two exchange their names in one step; a file is renamed over the old
    one. Where a file system cannot exchange folders, the old one has another hidden name for a
    moment; if the process is killed in it, whoever looks for the folder next puts it back.
On disk before it has its name
    Files and folders are flushed before the rename, and the folder around them after it: a power
    cut leaves the old or the new output, not an empty one. Of several files that belong together,
    each one by itself is old or new.
Readers never see a mixture
    A load opens the folder once and its files by their names in it (`reading`).
Checked
    A folder has a manifest with checksums of all its files (`manifest`); a JSON file that stands
    alone has its own (`records`), and so has each record of a journal (`journal`). Loading compares
    them (`verification`), and no output that was computed from a damaged file gets its name.
Who wins when two write
    With ``overwrite`` the last one to finish; else the first one, and the other gets an error.
    Output that is continued (`journal`) belongs to one process at a time.
Leftovers
    A killed process leaves hidden names with its host, its number and a random token. The next
    process on that host that writes the same output deletes them.
Links
    A symbolic link is followed: what it leads to is written or replaced, and the link stays. That
    holds for a link that leads to nothing yet.
Permissions
    All files have those of the umask.
"""

from tartib.storage.arrays import Appendable as Appendable
from tartib.storage.arrays import ArrayBuffer as ArrayBuffer
from tartib.storage.arrays import ArrayWriter as ArrayWriter
from tartib.storage.arrays import frozen as frozen
from tartib.storage.arrays import load_array as load_array
from tartib.storage.checksums import write_bytes as write_bytes
from tartib.storage.disk import lock as lock
from tartib.storage.documents import check_hyphens as check_hyphens
from tartib.storage.documents import differences as differences
from tartib.storage.documents import read_json as read_json
from tartib.storage.documents import read_toml as read_toml
from tartib.storage.documents import write_json as write_json
from tartib.storage.fields import Fields as Fields
from tartib.storage.files import append_line as append_line
from tartib.storage.files import check_file as check_file
from tartib.storage.files import new_files as new_files
from tartib.storage.folders import check_folder as check_folder
from tartib.storage.folders import new_folder as new_folder
from tartib.storage.folders import remove_folder as remove_folder
from tartib.storage.folders import replaced_folder as replaced_folder
from tartib.storage.folders import scratch_folder as scratch_folder
from tartib.storage.formats import check_format as check_format
from tartib.storage.formats import reading_meta as reading_meta
from tartib.storage.names import check_free as check_free
from tartib.storage.names import check_writable as check_writable
from tartib.storage.names import final_path as final_path
from tartib.storage.names import shown_name as shown_name
from tartib.storage.names import unfinished_path as unfinished_path
from tartib.storage.reading import DAMAGED as DAMAGED
from tartib.storage.reading import open_file as open_file
from tartib.storage.reading import read_bytes as read_bytes
from tartib.storage.reading import reading as reading
from tartib.storage.records import read_record as read_record
from tartib.storage.records import write_record as write_record
from tartib.storage.verification import unverified as unverified
