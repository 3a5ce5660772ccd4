# Runs fathom.exe on this machine and writes what it printed to a folder, to be sent with a report.
#
#   powershell -ExecutionPolicy Bypass -File try-fathom.ps1 [-Fathom .\fathom.exe] [-Folder .\fathom-try] [-Seconds 5]
#
# It creates test files of 256 MiB and 64 MiB in the folder, and removes them at the end. No case names a disk or a volume: that fathom
# refuses those in use has not run on Windows, and may be tried only on a machine without data.
param(
    [string]$Fathom = ".\fathom.exe",
    [string]$Folder = ".\fathom-try",
    [int]$Seconds = 5
)
$ErrorActionPreference = "Continue"
$fathomPath = (Resolve-Path $Fathom).Path
New-Item -ItemType Directory -Force $Folder | Out-Null
$folderPath = (Resolve-Path $Folder).Path
$file = Join-Path $folderPath "test.dat"
$env:FATHOM_NO_HISTORY = "1"

function Invoke-Case([string]$Name, [string[]]$Arguments) {
    $out = Join-Path $folderPath "$Name.out.txt"
    $err = Join-Path $folderPath "$Name.err.txt"
    $process = Start-Process -FilePath $fathomPath -ArgumentList $Arguments -NoNewWindow -Wait -PassThru `
        -RedirectStandardOutput $out -RedirectStandardError $err -WorkingDirectory $folderPath
    "{0,-24} exit {1}   fathom {2}" -f $Name, $process.ExitCode, ($Arguments -join " ") |
        Tee-Object -Append -FilePath (Join-Path $folderPath "summary.txt")
}

Remove-Item -ErrorAction SilentlyContinue (Join-Path $folderPath "*.txt")
Get-CimInstance Win32_OperatingSystem | Select-Object Caption, Version, OSArchitecture |
    Format-List | Out-File (Join-Path $folderPath "machine.txt")
Get-CimInstance Win32_DiskDrive | Select-Object Index, Model, Size, InterfaceType |
    Format-Table | Out-File -Append (Join-Path $folderPath "machine.txt")

$d = "-d$Seconds"
Invoke-Case "version" @("--version")
Invoke-Case "diskspd-system" @("diskspd", "-Rs")
# The block-size study, buffered. Then what wine cannot show: unbuffered, write-through, hints, priorities, large pages.
Invoke-Case "diskspd-cached" @("diskspd", "-b64K", $d, "-W1", "-t4", "-o8", "-L", "-r", "-w40", "-c256m", $file)
Invoke-Case "diskspd-unbuffered" @("diskspd", "-b4K", $d, "-W1", "-t2", "-o32", "-L", "-D", "-r", "-Su", $file)
Invoke-Case "diskspd-sh" @("diskspd", "-b8K", $d, "-W1", "-F4", "-o16", "-L", "-r", "-w100", "-Sh", $file)
Invoke-Case "diskspd-sync" @("diskspd", "-b4K", $d, "-W1", "-t1", "-o1", "-L", "-r", "-Sh", $file)
Invoke-Case "diskspd-mapped" @("diskspd", "-b4K", $d, "-W1", "-t1", "-L", "-r", "-w50", "-Sm", "-Nv", $file)
Invoke-Case "diskspd-priority" @("diskspd", "-b4K", $d, "-W1", "-t1", "-o8", "-I1", "-fr", $file)
Invoke-Case "diskspd-large-pages" @("diskspd", "-b4K", $d, "-W1", "-t1", "-o8", "-l", "-Su", $file)
Invoke-Case "diskspd-xml" @("diskspd", "-b4K", $d, "-W1", "-t2", "-o8", "-L", "-D", "-Rxml", "-Sh", $file)
Invoke-Case "fio-windowsaio" @("fio", "--name=x", "--ioengine=windowsaio", "--rw=randread", "--bs=4k", "--size=64m",
    "--direct=1", "--runtime=$Seconds", "--time_based", "--iodepth=8", "--filename=x.dat")
Invoke-Case "fio-sync-json" @("fio", "--name=x", "--ioengine=sync", "--rw=randwrite", "--bs=4k", "--size=64m",
    "--fsync=16", "--runtime=$Seconds", "--time_based", "--filename=x.dat", "--output-format=json")

Remove-Item -ErrorAction SilentlyContinue $file, (Join-Path $folderPath "x.dat")
Compress-Archive -Force -Path (Join-Path $folderPath "*.txt") -DestinationPath "$folderPath.zip"
Write-Output "Done. Send $folderPath.zip"
